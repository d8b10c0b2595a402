# Engines: who holds the parts, and how a message reaches them. An engine has `workers()`, the names of those that can be given work, and
# `exchange(messages)`, which sends each worker its message (what to do, with which arguments) and returns their answers by name; NULL
# for a worker that was lost on the way.

new_engine <- function(shards, run, call) {
  if (is.null(shards$engine)) return(engine_here())
  if (inherits(shards$engine, "cluster")) return(engine_cluster(shards$engine, run, shards$patience))
  engine_mirai(shards$engine, run, shards$patience, call)
}

abort_engine <- function(message, call, fit = NULL) {
  rlang::abort(message, class = c("acfw_error_engine", "acfw_error"), call = call, fit = fit, use_cli_format = FALSE)
}

engine_here <- function() {
  store <- new.env(parent = emptyenv())
  list(
    workers = function() "here", travels = FALSE, store = store,
    exchange = function(messages) lapply(messages, function(message) part_service("here", message$what, message$arguments, store)),
    close = function() NULL
  )
}

# ---- package parallel ---------------------------------------------------------------------------------------------

# A worker that does not answer is closed and never asked again. Messages are numbered, and answers to earlier ones, which an interrupt has
# left behind, are thrown away. A worker that is interrupted on its way to the work or back forgets what it was asked: after some silence it
# is sent a word that it echoes, and if the echo comes before the answer there will be none.
engine_cluster <- function(cluster, run, patience, silence = 2) {
  send <- utils::getFromNamespace("sendCall", "parallel")
  receive <- utils::getFromNamespace("recvData", "parallel")
  ids <- as.character(seq_along(cluster))
  alive <- stats::setNames(rep(TRUE, length(ids)), ids)
  echoes <- stats::setNames(rep(NA_real_, length(ids)), ids)  # the number of the last word sent
  numbers <- floor(1000 * as.numeric(Sys.time()))  # above those of an earlier run with this cluster
  node <- function(id) cluster[[as.integer(id)]]
  lose <- function(id) {
    alive[[id]] <<- FALSE
    echoes[[id]] <<- NA_real_
    if (!is.null(node(id)$con)) try(close(node(id)$con), silent = TRUE)
    NULL
  }
  # A message is sent or taken as a whole, whatever comes: what was cut off could not be told from the next. Returns its number.
  tell <- function(id, fun, arguments) {
    numbers <<- numbers + 1
    sent <- try(suspendInterrupts(send(node(id), fun, arguments, tag = numbers)), silent = TRUE)
    if (inherits(sent, "try-error")) lose(id)
    numbers
  }
  take <- function(id) tryCatch(suspendInterrupts(receive(node(id))), error = function(error) lose(id))
  value_of <- function(answer) {
    if (!inherits(answer$value, "try-error")) return(answer$value)
    shard_condition(NA, paste0("could not be asked: ", as.character(answer$value)))
  }
  # Answers to the messages `wanted`, in the order in which they come.
  collect <- function(wanted) {
    answers <- list()
    since <- proc.time()[["elapsed"]]
    while (length(wanted)) {
      for (id in ready_nodes(lapply(names(wanted), node), names(wanted))) {
        answer <- take(id)
        number <- if (is.null(answer)) Inf else max(0, answer$tag)  # whoever had the cluster before may have left some without
        if (identical(number, echoes[[id]])) echoes[[id]] <<- NA_real_
        if (number < wanted[[id]]) next
        answers[id] <- list(if (identical(number, wanted[[id]])) value_of(answer) else if (!is.null(answer)) stopped_worker())
        wanted <- wanted[names(wanted) != id]
      }
      waited <- proc.time()[["elapsed"]] - since
      if (waited > patience) {
        for (id in names(wanted)) lose(id)
        break
      }
      if (waited > silence) for (id in names(wanted)[is.na(echoes[names(wanted)])]) echoes[[id]] <<- tell(id, identity, list(TRUE))
    }
    answers
  }
  list(
    workers = function() ids[alive], travels = TRUE,
    exchange = function(messages) {
      asked <- names(messages)[alive[names(messages)]]
      wanted <- vapply(asked, function(id) tell(id, part_service, list(run, messages[[id]]$what, messages[[id]]$arguments)), 0)
      answers <- collect(wanted[alive[asked]])
      stats::setNames(lapply(names(messages), function(id) answers[[id]]), names(messages))
    },
    close = function() {  # nobody else wants the echoes
      for (id in names(echoes)[!is.na(echoes) & alive]) take(id)
    }
  )
}

# Those of some nodes that have something to say; waits for the first, a moment at a time so that interrupts come through.
ready_nodes <- function(nodes, ids) {
  connections <- lapply(nodes, function(node) node$con)
  if (any(vapply(connections, is.null, NA))) return(ids[[1L]])  # no sockets: one after another
  open <- vapply(connections, function(con) isTRUE(try(isOpen(con), silent = TRUE)), NA)
  if (!all(open)) return(ids[!open])
  ids[socketSelect(connections, FALSE, 0.5)]
}

# ---- package mirai ------------------------------------------------------------------------------------------------

# Daemons cannot be addressed, so every message goes to all of them, and each looks up what it is to do under its own name. One that has
# died is missing among the answers; one that has come in its place answers with a name nobody knew.
engine_mirai <- function(profile, run, patience, call) {
  compute <- if (profile != "mirai") profile
  if (!isTRUE(mirai::daemons_set(.compute = compute))) {
    abort_engine(paste0("The engine is not running: no daemons are set for the compute profile \"", if (is.null(compute)) "default" else compute,
                        "\" of mirai; call mirai::daemons() first."), call)
  }
  known <- character()
  pending <- NULL
  serve <- serve_daemon  # by this name the daemons know it
  broadcast <- function(messages) {
    if (!is.null(pending)) lapply(pending, mirai::stop_mirai)
    pending <<- mirai::everywhere(serve(run, messages), .args = list(serve = serve, run = run, messages = messages), .compute = compute)
    answers <- await_mirai(pending, patience)
    pending <<- NULL
    answers <- Filter(function(answer) is.list(answer) && is.character(answer$name), answers)
    known <<- vapply(answers, function(answer) answer$name, "")
    stats::setNames(lapply(answers, function(answer) answer$value), known)
  }
  list(
    workers = function() {
      if (!length(known)) broadcast(list())
      known
    },
    travels = TRUE,
    exchange = function(messages) {
      answers <- broadcast(messages)
      stats::setNames(lapply(names(messages), function(id) answers[[id]]), names(messages))
    },
    close = function() NULL
  )
}

# Runs in a daemon.
serve_daemon <- function(run, messages) {
  name <- daemon_name()
  message <- messages[[name]]
  list(name = name, value = if (!is.null(message)) part_service(run, message$what, message$arguments))
}

daemon_name <- function() {
  if (is.null(loaded$name)) loaded$name <- paste(Sys.info()[["nodename"]], Sys.getpid(), format(as.numeric(Sys.time()), digits = 15), sep = "-")
  loaded$name
}

await_mirai <- function(pending, patience) {
  since <- proc.time()[["elapsed"]]
  lapply(pending, function(one) {
    if (is.finite(patience)) {
      while (mirai::unresolved(one)) {
        if (proc.time()[["elapsed"]] - since > patience) {
          mirai::stop_mirai(one)
          return(NULL)
        }
        Sys.sleep(0.002)
      }
    }
    value <- mirai::call_mirai(one)$data
    if (mirai::is_error_value(value)) NULL else value
  })
}
