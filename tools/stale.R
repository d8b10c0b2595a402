# Which objects in src/ are out of date: R's own make does not see headers, so it is found out here what includes what.

# The files of this project that `file` includes, directly or not, and itself.
included_by <- function(file, seen = character()) {
  if (file %in% seen || !file.exists(file)) return(seen)
  seen <- c(seen, file)
  names <- sub('^#include [<"]([^>"]+)[>"].*', "\\1", grep('^ *#include [<"]', readLines(file), value = TRUE))
  if (endsWith(file, ".hpp")) names <- grep("_impl", names, invert = TRUE, value = TRUE)  # compiled elsewhere, see core/bodies.hpp
  for (name in names) {
    for (from in c(dirname(file), "inst/include")) seen <- included_by(file.path(from, name), seen)
  }
  seen
}

remove_stale_objects <- function() {
  for (source in Sys.glob("src/*.cpp")) {
    object <- sub("cpp$", "o", source)
    if (file.exists(object) && any(file.mtime(c(included_by(source), "src/Makevars")) > file.mtime(object))) unlink(object)
  }
  objects <- Sys.glob("src/*.o")
  unlink(setdiff(objects, sub("cpp$", "o", Sys.glob("src/*.cpp"))))  # of sources that are gone: R would link them
}
