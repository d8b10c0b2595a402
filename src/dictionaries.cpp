#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include "dictionaries.h"

#include <string>

#include "acfw/sets/birkhoff.hpp"
#include "acfw/sets/dag_paths.hpp"
#include "acfw/sets/greedy.hpp"
#include "acfw/sets/more_balls.hpp"
#include "acfw/sets/norm_balls.hpp"
#include "acfw/sets/nuclear_ball.hpp"
#include "acfw/sets/polytopes.hpp"
#include "acfw/sets/rescaled.hpp"
#include "acfw/sets/spectraplex.hpp"
#include "acfw/sets/transport.hpp"
#include "acfw/sets/wasserstein.hpp"
#include "r_atoms.h"

using acfw::AnyDictionary;
using acfw::Index;

namespace {

Index index_of(const Rcpp::List& spec, const char* name) { return static_cast<Index>(Rcpp::as<double>(spec[name])); }

std::vector<Index> from_zero(const Rcpp::NumericVector& indices) {
  std::vector<Index> out;
  for (double i : indices) out.push_back(static_cast<Index>(i) - 1);
  return out;
}

acfw::GroupBall make_group_ball(const Rcpp::List& spec, double radius) {
  acfw::GroupBall ball{{}, radius};
  const Rcpp::List groups = spec["groups"];
  for (const Rcpp::NumericVector members : groups) ball.groups.push_back(from_zero(members));
  return ball;
}

acfw::Cartesian make_cartesian(const Rcpp::List& spec) {
  std::vector<acfw::Cartesian::Part> parts;
  const Rcpp::List specs = spec["parts"];
  const Rcpp::NumericVector sizes = spec["sizes"];
  for (R_xlen_t k = 0; k < specs.size(); ++k) {
    parts.push_back({make_dictionary(specs[k]), static_cast<Index>(sizes[k])});
  }
  return acfw::Cartesian(std::move(parts));
}

acfw::DagPaths make_dag_paths(const Rcpp::List& spec, double radius) {
  const std::vector<Index> from = from_zero(spec["from"]), to = from_zero(spec["to"]);
  std::vector<acfw::DagPaths::Edge> edges;
  for (std::size_t e = 0; e < from.size(); ++e) edges.push_back({from[e], to[e]});
  return {index_of(spec, "nodes"), std::move(edges), from_zero(spec["order"]), index_of(spec, "source") - 1,
          index_of(spec, "target") - 1, radius};
}

Eigen::VectorXd vector_of(const Rcpp::List& spec, const char* name) { return Rcpp::as<Eigen::VectorXd>(spec[name]); }

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
  if (kind == "box") return acfw::Box{vector_of(spec, "lower"), vector_of(spec, "upper")};
  if (kind == "linf") return acfw::LinfBall{radius};
  if (kind == "group") return rescaled(make_group_ball(spec, radius));
  if (kind == "simplex") return acfw::Simplex{radius};
  if (kind == "unit_simplex") return acfw::UnitSimplex{radius};
  if (kind == "k_sparse") return acfw::KSparse{index_of(spec, "k"), radius};
  if (kind == "finite") return rescaled(acfw::FiniteSet{Rcpp::as<Eigen::MatrixXd>(spec["points"])});
  if (kind == "nuclear") return rescaled(acfw::NuclearBall(index_of(spec, "nrow"), index_of(spec, "ncol"), radius));
  if (kind == "spectraplex") return rescaled(acfw::Spectraplex(index_of(spec, "n"), radius));
  if (kind == "birkhoff") return rescaled(acfw::Birkhoff{index_of(spec, "n"), radius});
  if (kind == "wasserstein") return rescaled(acfw::WassersteinBall(Rcpp::as<Eigen::MatrixXd>(spec["sigma"]), radius));
  if (kind == "weighted_l1") return rescaled(acfw::WeightedL1Ball{vector_of(spec, "weights"), radius});
  if (kind == "ordered_l1") return rescaled(acfw::OrderedL1Ball{vector_of(spec, "weights"), radius});
  if (kind == "lp_norm") return acfw::LpBall{Rcpp::as<double>(spec["p"]), radius};
  if (kind == "ellipsoid") {
    return rescaled(acfw::Ellipsoid{Rcpp::as<Eigen::MatrixXd>(spec["shape"]), vector_of(spec, "center"), radius});
  }
  if (kind == "variation") return rescaled(acfw::VariationBall{radius});
  if (kind == "hypersimplex") return acfw::Hypersimplex{index_of(spec, "k"), radius};
  if (kind == "box_with_sum") {
    return acfw::BoxWithSum{vector_of(spec, "lower"), vector_of(spec, "upper"), Rcpp::as<double>(spec["total"])};
  }
  if (kind == "capped_l1") return acfw::CappedL1Ball{vector_of(spec, "upper"), radius};
  if (kind == "dag_paths") return rescaled(make_dag_paths(spec, radius));
  if (kind == "transport") return rescaled(acfw::TransportPolytope(vector_of(spec, "supply"), vector_of(spec, "demand")));
  if (kind == "product") return make_cartesian(spec);
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
  return atom_to_r(ball.minimize_operator(acfw::MatrixOperator(g)).atom);
}

namespace {

template <class Matrix>
double largest_singular_value(const Matrix& A) {
  if (A.rows() == 0 || A.cols() == 0) return 0.0;
  return acfw::leading_singular_pair(acfw::MatrixOperator(A), acfw::scattered_unit_vector(A.cols())).sigma;
}

}  // namespace

// [[Rcpp::export]]
double spectral_norm_dense(Eigen::Map<Eigen::MatrixXd> A) { return largest_singular_value(A); }

// [[Rcpp::export]]
double spectral_norm_sparse(Eigen::Map<Eigen::SparseMatrix<double>> A) { return largest_singular_value(A); }
