// What the sessions of acfw_glm() on data in memory and on shards have in common.
#pragma once

#include <Rcpp.h>

#include <memory>
#include <string>

#include "acfw/losses/loss.hpp"
#include "acfw/objectives/regression.hpp"
#include "glm_layout.h"

void scale_design(acfw::Design& A, const Rcpp::List& problem, const Layout& layout);
std::unique_ptr<acfw::Loss> make_loss(const Rcpp::List& problem, const Layout& layout);
acfw::GlmSettings settings_of(const Rcpp::List& problem, const Layout& layout, int threads);

/// A session for R, or a failure.
SEXP start_glm_session(const Layout& layout, std::unique_ptr<acfw::Regression> objective, const Rcpp::List& problem, const Rcpp::List& path,
                       const std::string& method, const std::string& step, const Rcpp::List& control);
