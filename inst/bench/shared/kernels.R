# bench_transpose() and dense_product(), compiled from kernels.cpp, once for all benchmarks.
Rcpp::sourceCpp(file.path(shared, "kernels.cpp"), cacheDir = tools::R_user_dir("acfw", "cache"))
