# Facts about pictures: what a device was told to draw, and the pixels of what it drew.

# The calls of one kind (text, segments, ...) that base graphics made, with their arguments.
drawn_calls <- function(code, kind, width = 5, height = 4) {
  grDevices::pdf(NULL, width, height)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  force(code)
  calls <- grDevices::recordPlot()[[1L]]
  of_kind <- Filter(function(call) identical(call[[2L]][[1L]]$name, paste0("C_", kind)), calls)
  lapply(of_kind, function(call) as.list(call[[2L]])[-1L])
}

# Every word on the picture, with the box it takes, in inches.
words_on <- function(code, width = 5, height = 4) {
  grDevices::pdf(NULL, width, height)
  on.exit(grDevices::dev.off())
  grDevices::dev.control("enable")
  force(code)
  usr <- graphics::par("usr")
  plt <- graphics::par("plt")
  logs <- c(graphics::par("xlog"), graphics::par("ylog"))
  calls <- grDevices::recordPlot()[[1L]]
  words <- Filter(function(call) identical(call[[2L]][[1L]]$name, "C_text"), calls)
  boxes <- lapply(words, function(call) {
    a <- as.list(call[[2L]])[-1L]
    label <- as.character(a[[2L]])
    at <- a[[1L]]
    x <- if (logs[[1L]]) log10(at$x) else at$x
    y <- if (logs[[2L]]) log10(at$y) else at$y
    x <- (plt[[1L]] + (x - usr[[1L]]) / diff(usr[1:2]) * diff(plt[1:2])) * width
    y <- (plt[[3L]] + (y - usr[[3L]]) / diff(usr[3:4]) * diff(plt[3:4])) * height
    cex <- a[[7L]]
    wide <- graphics::strwidth(label, units = "inches", cex = cex)
    high <- graphics::strheight(label, units = "inches", cex = cex)
    adj <- a[[3L]][[1L]]
    data.frame(label = label, left = x - adj * wide, right = x + (1 - adj) * wide, low = y - high / 2, high = y + high / 2)
  })
  do.call(rbind, boxes)
}

# Pairs of boxes that overlap.
overlaps <- function(boxes) {
  pairs <- utils::combn(nrow(boxes), 2L)
  a <- boxes[pairs[1L, ], ]
  b <- boxes[pairs[2L, ], ]
  sum(a$left < b$right & b$left < a$right & a$low < b$high & b$low < a$high)
}

# The colours on a picture: a matrix of "#RRGGBB", the top row first. An uncompressed bitmap can be read without a package.
pixels <- function(code, width = 400, height = 300) {
  file <- tempfile(fileext = ".bmp")
  on.exit(unlink(file))
  grDevices::bmp(file, width, height, antialias = "none")
  tryCatch(force(code), finally = grDevices::dev.off())
  raw <- as.integer(readBin(file, "raw", file.size(file)))
  number <- function(at, bytes = 4) sum(raw[at + seq_len(bytes)] * 256^(seq_len(bytes) - 1))
  depth <- number(28, 2) / 8
  row <- 4 * ceiling(width * depth / 4)
  body <- matrix(raw[number(10) + seq_len(row * height)], row)[seq_len(width * depth), rev(seq_len(height))]
  if (depth == 1) {  # few colours: a table of them, and a byte a pixel
    table <- matrix(raw[54 + seq_len(1024)], 4)
    body <- matrix(table[1:3, body + 1], 3 * width)
    depth <- 3
  }
  channel <- function(k) t(body[seq(k, by = depth, length.out = width), ])
  matrix(grDevices::rgb(channel(3), channel(2), channel(1), maxColorValue = 255), height)
}
