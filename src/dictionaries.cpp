#include <RcppEigen.h>

#include "dictionaries.h"

#include <string>

#include "acfw.hpp"
#include "acfw/dictionaries/rescaled.hpp"
#include "acfw/dictionaries/wasserstein.hpp"
#include "r_atoms.h"

using acfw::AnyDictionary;
using acfw::Index;

namespace {

Index index_of(const Rcpp::List& spec, const char* name) { return static_cast<Index>(Rcpp::as<double>(spec[name])); }

acfw::GroupBall make_group_ball(const Rcpp::List& spec, double radius) {
  acfw::GroupBall ball{{}, radius};
  const Rcpp::List groups = spec["groups"];
  for (const Rcpp::NumericVector members : groups) {
    std::vector<Index> group;
    for (double i : members) group.push_back(static_cast<Index>(i) - 1);
    ball.groups.push_back(std::move(group));
  }
  return ball;
}

acfw::Product make_product(const Rcpp::List& spec) {
  std::vector<acfw::Product::Part> parts;
  const Rcpp::List specs = spec["parts"];
  const Rcpp::NumericVector sizes = spec["sizes"];
  for (R_xlen_t k = 0; k < specs.size(); ++k) {
    parts.push_back({make_dictionary(specs[k]), static_cast<Index>(sizes[k])});
  }
  return acfw::Product(std::move(parts));
}

template <class Dictionary>
AnyDictionary rescaled(Dictionary dictionary) {
  return acfw::Rescaled<Dictionary>(std::move(dictionary));
}

}  // namespace

AnyDictionary make_dictionary(const Rcpp::List& spec) {
  const auto kind = Rcpp::as<std::string>(spec["kind"]);
  const double radius = spec.containsElementNamed("radius") ? Rcpp::as<double>(spec["radius"]) : 1.0;
  if (kind == "l1") return acfw::L1Ball{radius};
  if (kind == "l2") return rescaled(acfw::L2Ball{radius});
  if (kind == "box") return acfw::Box{Rcpp::as<Eigen::VectorXd>(spec["lower"]), Rcpp::as<Eigen::VectorXd>(spec["upper"])};
  if (kind == "linf") return acfw::LinfBall{radius};
  if (kind == "group") return rescaled(make_group_ball(spec, radius));
  if (kind == "simplex") return acfw::Simplex{radius};
  if (kind == "unit_simplex") return acfw::UnitSimplex{radius};
  if (kind == "k_sparse") return acfw::KSparse{index_of(spec, "k"), radius};
  if (kind == "finite") return rescaled(acfw::FiniteSet{Rcpp::as<Eigen::MatrixXd>(spec["points"])});
  if (kind == "nuclear") return rescaled(acfw::NuclearBall(index_of(spec, "nrow"), index_of(spec, "ncol"), radius));
  if (kind == "spectraplex") return rescaled(acfw::Spectraplex{index_of(spec, "n"), radius});
  if (kind == "birkhoff") return rescaled(acfw::Birkhoff{index_of(spec, "n"), radius});
  if (kind == "wasserstein") return rescaled(acfw::WassersteinBall(Rcpp::as<Eigen::MatrixXd>(spec["sigma"]), radius));
  if (kind == "product") return make_product(spec);
  Rcpp::stop("unknown dictionary '%s'", kind);
}

// The atom minimising <g, v>, shaped like g (a rank-one matrix comes as the pair u, v).
// [[Rcpp::export]]
SEXP lmo_minimize(Rcpp::List spec, Rcpp::NumericVector g) {
  const Eigen::Map<const Eigen::VectorXd> gradient(g.begin(), g.size());
  return atom_to_r_shaped(make_dictionary(spec).minimize(gradient).atom, g.size(), g);
}

// The same for the nuclear ball and a sparse gradient, which stays sparse.
// [[Rcpp::export]]
SEXP lmo_minimize_sparse(Rcpp::List spec, Eigen::Map<Eigen::SparseMatrix<double>> g) {
  acfw::NuclearBall ball(g.rows(), g.cols(), Rcpp::as<double>(spec["radius"]));
  ball.set_relative(1e-10);  // of a residual: the singular value is off by its square over the next one's distance
  return atom_to_r(ball.minimize_operator(acfw::MatrixOperator<Eigen::Map<Eigen::SparseMatrix<double>>>{g}).atom);
}

namespace {

template <class Matrix>
double largest_singular_value(const Matrix& A) {
  if (A.rows() == 0 || A.cols() == 0) return 0.0;
  return acfw::leading_singular_pair(acfw::MatrixOperator<Matrix>{A}, acfw::scattered_unit_vector(A.cols())).sigma;
}

}  // namespace

// [[Rcpp::export]]
double spectral_norm_dense(Eigen::Map<Eigen::MatrixXd> A) { return largest_singular_value(A); }

// [[Rcpp::export]]
double spectral_norm_sparse(Eigen::Map<Eigen::SparseMatrix<double>> A) { return largest_singular_value(A); }
