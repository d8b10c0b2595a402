// The quadratic model of an objective on many columns with all that its Hessian is (coordinate_model.hpp): rows of one observation that
// bend one another, as those of the classes do, and columns outside of the budget that follow. Nothing is formed; where there are few
// columns, objectives/profiled_hessian.hpp does that.
#pragma once

#include "acfw/correctors/coordinate_descent.hpp"
#include "acfw/objectives/profiled_hessian.hpp"

namespace acfw {

/// The quadratic model of f on `columns`, where the point has the coordinates x and the gradient g.
inline void whole_model_of(const SparseObjective& f, const Columns& columns, const Vector& x, const Vector& g, const Budget& budget,
                           CoordinateModel& m) {
  const Design& A = f.design();
  const Index k = static_cast<Index>(columns.size()), own = f.has_intercept() ? 1 : 0, followers = own + static_cast<Index>(f.followers().size());
  m.columns = columns;
  m.x = m.start = x;
  m.base = g;
  m.q.setZero(A.rows());
  m.threads = f.threads();
  m.bending = f.bending();
  m.diagonal.resize(k);
  m.ridge = f.ridge(columns);
  m.shift.setZero(followers);
  m.lean.resize(followers, k);
  Vector dots(k);
  A.weighted_moments(columns, 0, m.bending.v, dots, m.diagonal, f.threads());
  Eigen::MatrixXd images = Eigen::MatrixXd::Ones(A.rows(), followers), F = Eigen::MatrixXd::Zero(followers, followers);
  for (Index a = 0; a < followers; ++a) {
    Vector image = images.col(a);
    if (a >= own) A.combine({f.followers()[static_cast<std::size_t>(a - own)]}, Vector::Ones(1), image, f.threads());
    images.col(a) = image;
    m.bending.apply(image);
    A.dots(columns, image, dots.data(), f.threads());
    m.lean.row(a) = dots;
    for (Index b = 0; b <= a; ++b) F(a, b) = image.dot(images.col(b));  // all that is looked at
  }
  m.response = response_to(m.lean, std::move(F));
  if (!m.response.allFinite()) m.response.setZero();
  m.diagonal += m.ridge - m.lean.cwiseProduct(m.response).colwise().sum().transpose();
  bound_model(columns, budget, m);
}

}  // namespace acfw
