# The crew of a run: an engine, which of its workers holds which part, and what to do when one of them is lost. `ask()` and `restore()` are
# the two functions that the C++ side knows.

new_crew <- function(shards, call) {
  crew <- new.env(parent = emptyenv())
  crew$shards <- shards
  crew$run <- paste0("run-", Sys.getpid(), "-", format(as.numeric(Sys.time()), digits = 16))
  crew$engine <- new_engine(shards, crew$run, call)
  crew$call <- call
  crew$holder <- rep(NA_character_, shards$count)
  crew$round_trips <- 0
  crew$numbers <- 0
  crew$losses <- 0
  crew
}

# Whoever had parts of this run forgets them.
dismiss_crew <- function(crew) {
  workers <- unique(stats::na.omit(crew$holder))
  if (length(workers)) suspendInterrupts(try(send_all(crew, workers, "forget", function(id) list(run = crew$run)), silent = TRUE))
  crew$engine$close()
}

crew_counts <- function(crew) c(round_trips = crew$round_trips, bytes = 8 * crew$numbers)

# ---- messages -----------------------------------------------------------------------------------------------------

send_all <- function(crew, workers, what, arguments) {
  messages <- stats::setNames(lapply(workers, function(id) list(what = what, arguments = arguments(id))), workers)
  crew$round_trips <- crew$round_trips + crew$engine$travels
  crew$engine$exchange(messages)
}

# A condition that came back in the place of an answer is raised here. Where interrupts have to wait, a worker that was interrupted is
# asked again.
check_answers <- function(crew, answers) {
  if (any(was_stopped(answers))) rlang::interrupt()
  for (answer in answers) {
    if (inherits(answer, "condition")) {
      rlang::abort(conditionMessage(answer), class = setdiff(class(answer), c("rlang_error", "error", "condition")), shard = answer$shard,
                   call = crew$call, use_cli_format = FALSE)
    }
  }
}

was_stopped <- function(answers) vapply(answers, inherits, NA, "acfw_interrupted")

note_losses <- function(crew, answers) {
  lost <- names(answers)[vapply(answers, is.null, NA)]
  if (!length(lost)) return(invisible(FALSE))
  orphans <- which(crew$holder %in% lost)
  crew$holder[orphans] <- NA
  crew$losses <- crew$losses + length(lost)
  if (length(orphans)) {
    rlang::inform(paste0(if (length(lost) == 1L) "A worker was" else paste(length(lost), "workers were"), " lost with ",
                         if (length(orphans) == 1L) "shard " else "shards ", toString(orphans), ", which ",
                         if (length(orphans) == 1L) "is" else "are", " loaded again elsewhere."),
                  class = c("acfw_message_worker", "acfw_message"))
  }
  TRUE
}

# Gives the shards `which` to the workers there are, each about as many in all, neighbours together.
assign_shards <- function(crew, which) {
  workers <- crew$engine$workers()
  if (!length(workers)) abort_engine("The engine is not running, or its last worker was lost: there is nobody to hold the shards.", crew$call)
  load <- table(factor(crew$holder, workers))
  room <- pmax(ceiling(crew$shards$count / length(workers)) - load, 0)
  places <- rep(workers, room)
  if (length(places) < length(which)) places <- c(places, rep_len(workers, length(which) - length(places)))
  crew$holder[which] <- places[seq_along(which)]
}

# Lets every shard of `which` be done something with, wherever it is, again if its worker is lost; answers by shard where there is one for
# each of them. `arguments` may be a function of the shards that a worker has.
on_shards <- function(crew, which, what, arguments) {
  answers <- vector("list", crew$shards$count)
  while (length(which)) {
    assign_shards(crew, which[is.na(crew$holder[which])])
    groups <- split(which, crew$holder[which])
    found <- send_all(crew, names(groups), what, function(id) {
      c(list(which = groups[[id]]), if (is.function(arguments)) arguments(groups[[id]]) else arguments)
    })
    note_losses(crew, found)
    check_answers(crew, found)
    for (id in names(groups)[!was_stopped(found)]) {
      if (is.null(found[[id]])) next
      if (is.list(found[[id]])) answers[groups[[id]]] <- found[[id]]
      which <- setdiff(which, groups[[id]])
    }
  }
  answers
}

describe_shards <- function(crew, family) {
  on_shards(crew, seq_len(crew$shards$count), "describe",
            list(load = crew$shards$load, keep = crew$shards$keep, family = family, folding = crew$folding))
}

prepare_shards <- function(crew, plan) {
  crew$plan <- plan
  on_shards(crew, seq_len(crew$shards$count), "prepare", preparation(crew))
}

# What a worker has to know to make the parts `which`; `own` is what each of them alone has.
preparation <- function(crew) {
  function(which) list(load = crew$shards$load, keep = crew$shards$keep, plan = crew$plan, own = crew$own[which])
}

# ---- questions ----------------------------------------------------------------------------------------------------

# The sum of all answers; or NULL if some parts were lost, which `restore()` brings back before the rest of the same question is asked again.
crew_ask <- function(crew, verb, columns, numbers) {
  count <- crew$shards$count
  if (is.null(crew$asked)) crew$asked <- list(left = seq_len(count), sums = list())
  whole <- FALSE
  on.exit(if (!whole) crew$asked <- NULL)
  asked <- crew$asked
  left <- asked$left[!is.na(crew$holder[asked$left])]
  groups <- split(left, crew$holder[left])
  found <- send_all(crew, names(groups), "answer", function(id) {
    list(which = groups[[id]], count = count, verb = verb, columns = columns, numbers = numbers)
  })
  note_losses(crew, found)
  check_answers(crew, found)
  for (id in names(groups)[!was_stopped(found)]) {
    if (is.null(found[[id]])) next
    asked$sums <- c(asked$sums, found[[id]])
    asked$left <- setdiff(asked$left, groups[[id]])
    if (crew$engine$travels) {
      crew$numbers <- crew$numbers + length(columns) / 2 + length(numbers) + sum(vapply(found[[id]], function(sum) length(sum$value), 0L))
    }
  }
  whole <- TRUE
  if (length(asked$left)) {
    crew$asked <- asked
    return(NULL)
  }
  crew$asked <- NULL
  if (length(asked$sums) > 1L) asked$sums <- add_partial_sums(asked$sums, count, verb)
  save_checkpoint(crew$watch)
  asked$sums[[1L]]$value
}

# Parts that nobody holds are loaded again and led to where the others are; those that had answered before they were lost wait for
# the next question. If they cannot join it, the question at hand is given up.
crew_restore <- function(crew, questions, joins = TRUE) {
  on.exit(if (!joins) crew$asked <- NULL)
  repeat {
    lost <- crew$asked$left[is.na(crew$holder[crew$asked$left])]
    if (!length(lost)) return(invisible())
    assign_shards(crew, lost)
    groups <- split(lost, crew$holder[lost])
    found <- send_all(crew, names(groups), "prepare", function(id) {
      c(list(which = groups[[id]]), preparation(crew)(groups[[id]]))
    })
    for (question in questions) {
      if (note_losses(crew, found)) break
      check_answers(crew, found)
      found <- send_all(crew, names(groups), "answer", function(id) {
        list(which = groups[[id]], count = crew$shards$count, verb = question$verb, columns = question$columns, numbers = question$numbers)
      })
    }
    note_losses(crew, found)
    check_answers(crew, found)
  }
}
