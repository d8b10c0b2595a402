library(testthat)
library(acfw)

test_check("acfw")
