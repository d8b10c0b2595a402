// What a path of acfw_glm() goes through.
#pragma once

#include <Rcpp.h>

#include <algorithm>
#include <cmath>
#include <vector>

/// The path as R describes it: radii, or a grid of penalties with reasons to end it.
struct Stations {
  std::vector<double> radii, penalties;
  std::size_t count = 0;
  double ratio = 0.01, df_max = 0.0, dev_max = 1.0, dev_change = 0.0;
  bool dev_relative = false;  // to what is explained
  std::size_t done = 0;                   // solved by an earlier run, at whose last point this one begins,
  double largest = 0.0, explained = 0.0;  // and what that knew of a grid

  explicit Stations(const Rcpp::List& path) {
    if (path.containsElementNamed("done")) {
      done = static_cast<std::size_t>(Rcpp::as<double>(path["done"]));
      largest = Rcpp::as<double>(path["largest"]);
      explained = Rcpp::as<double>(path["explained"]);
    }
    if (path.containsElementNamed("beta")) radii = Rcpp::as<std::vector<double>>(path["beta"]);
    if (path.containsElementNamed("penalty")) penalties = Rcpp::as<std::vector<double>>(path["penalty"]);
    count = std::max(radii.size(), penalties.size());
    if (count > 0) return;
    count = static_cast<std::size_t>(Rcpp::as<double>(path["count"]));
    ratio = Rcpp::as<double>(path["ratio"]);
    df_max = Rcpp::as<double>(path["df_max"]);
    dev_max = Rcpp::as<double>(path["dev_max"]);
    dev_change = Rcpp::as<double>(path["dev_change"]);
    dev_relative = Rcpp::as<bool>(path["dev_relative"]);
  }

  bool by_penalty() const { return radii.empty(); }
  bool chosen_here() const { return by_penalty() && penalties.empty(); }
  /// `largest` is the largest that matters.
  double penalty(std::size_t k, double largest) const {
    if (!penalties.empty()) return penalties[k];
    return largest * std::pow(ratio, static_cast<double>(k + 1) / static_cast<double>(count));
  }
};
