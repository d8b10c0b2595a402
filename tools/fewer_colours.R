# A picture with sixty-four colours is a third of the bytes, and the pictures of the README are installed with the package.
fewer_colours <- function(file) {
  if (!requireNamespace("magick", quietly = TRUE)) return(invisible())
  picture <- magick::image_quantize(magick::image_read(file), max = 64, colorspace = "sRGB", dither = FALSE)
  magick::image_write(magick::image_strip(picture), file, depth = 8)
}
