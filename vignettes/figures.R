# The figures of the vignettes and of the README. Anti-aliased curves have thousands of colours, and a PNG file with a table of thirty-two is
# a fifth of the bytes; nobody sees the difference, but everybody installs them. The device is bmp(), whose files can be read without a
# package, and save_as_png() makes PNG files of them in their place: source this file in the first chunk, call small_figures() in the last.

litedown::reactor(fig.width = 7, fig.height = 4, fig.ext = "png", dev = "bmp", dev.args = list(res = 90, units = "in"))

# Half of the usual margin above, where these plots have little to say. Margins that a chunk has set stay.
setHook("before.plot.new", function() {
  if (identical(graphics::par("mar"), c(5.1, 4.1, 4.1, 2.1))) graphics::par(mar = c(4.1, 4.4, 2.6, 1.1))
}, "replace")

small_figures <- function() for (file in Sys.glob("*__files/*.png")) save_as_png(file)

# Turns a file that bmp() has written, whatever its name, into a PNG file with at most `most` colours.
save_as_png <- function(file, most = 32) {
  picture <- read_bmp(file)
  counts <- sort(table(picture), decreasing = TRUE)
  colours <- channels(as.integer(names(counts)))
  chosen <- representatives(colours, as.numeric(counts), most)
  pixels <- matrix(chosen$nearest[match(picture, as.integer(names(counts)))] - 1L, nrow(picture))
  header <- c(big_endian(ncol(picture)), big_endian(nrow(picture)), as.raw(c(8, 3, 0, 0, 0)))  # eight bits, a table of colours
  rows <- memCompress(as.raw(rbind(0L, t(pixels))), "gzip")
  writeBin(c(as.raw(c(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)), png_chunk("IHDR", header),
             png_chunk("PLTE", as.raw(t(colours[chosen$kept, ]))), png_chunk("IDAT", rows), png_chunk("IEND", raw())), file)
}

channels <- function(x) cbind(x %/% 65536L, x %/% 256L %% 256L, x %% 256L)

# The most frequent colour, then again and again the one that the colours before it leave with the largest error: also a short line in a
# legend keeps its own.
representatives <- function(colours, counts, most) {
  kept <- integer()
  nearest <- rep(1L, nrow(colours))
  distance <- rep(Inf, nrow(colours))
  while (length(kept) < most && any(distance > 0)) {
    kept <- c(kept, if (length(kept)) which.max(counts * distance) else 1L)
    to_new <- colSums((t(colours) - colours[kept[length(kept)], ])^2)
    nearest[to_new < distance] <- length(kept)
    distance <- pmin(distance, to_new)
  }
  list(kept = kept, nearest = nearest)
}

# A matrix of colours as whole numbers, the top row first. Pictures of few colours have a table of them and a byte a pixel.
read_bmp <- function(file) {
  bytes <- as.integer(readBin(file, "raw", file.size(file)))
  number <- function(at, size = 4) sum(bytes[at + seq_len(size)] * 256^(seq_len(size) - 1))
  width <- number(18)
  height <- number(22)
  depth <- number(28, 2) / 8
  stride <- 4 * ceiling(width * depth / 4)
  body <- matrix(bytes[number(10) + seq_len(stride * height)], stride)[seq_len(width * depth), rev(seq_len(height))]
  if (depth == 1) body <- matrix(matrix(bytes[54 + seq_len(1024)], 4)[1:3, body + 1], 3 * width)
  channel <- function(k) body[seq(k, by = max(depth, 3), length.out = width), ]
  t(channel(1) + 256L * channel(2) + 65536L * channel(3))
}

big_endian <- function(x) as.raw(x %/% 256^(3:0) %% 256)

# The checksum of a chunk is the one that gzip writes behind what it packs.
png_chunk <- function(type, data) {
  packed <- tempfile()
  on.exit(unlink(packed))
  body <- c(charToRaw(type), data)
  connection <- gzfile(packed, "wb")
  writeBin(body, connection)
  close(connection)
  end <- utils::tail(readBin(packed, "raw", file.size(packed)), 8)
  c(big_endian(length(data)), body, rev(end[1:4]))
}
