// G'G, where the rows of G are in parts: for the search for singular values on the side of the columns, whose own are their squares. A
// product is one round trip.
#pragma once

#include "acfw/linear/operator.hpp"
#include "acfw/parts/question.hpp"

namespace acfw {

class NormalOperator final : public LinearOperator {
 public:
  NormalOperator(Parts& parts, Index cols) : parts_(&parts), cols_(cols) {}

  /// An upper bound on its eigenvalues, which also is of their order.
  void set_size(double square) { square_ = square; }
  Index rows() const override { return cols_; }
  Index cols() const override { return cols_; }
  Vector apply(const Vector& x) const override { return product(x, 1).col(0); }
  Vector apply_transposed(const Vector& y) const override { return apply(y); }
  Eigen::MatrixXd apply_all(const Eigen::MatrixXd& X) const override { return product(X, X.cols()); }
  Eigen::MatrixXd apply_transposed_all(const Eigen::MatrixXd& Y) const override { return apply_all(Y); }
  double frobenius() const override { return square_; }
  double largest() const override { return square_; }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  RowMajor product(const Eigen::MatrixXd& X, Index width) const {
    const RowMajor by_rows = X;
    Question question{Verb::normal, {}, {1.0}};
    question.numbers.insert(question.numbers.end(), by_rows.data(), by_rows.data() + by_rows.size());
    const Vector found = parts_->ask(question);
    return Eigen::Map<const RowMajor>(found.data(), cols_, width);
  }

  Parts* parts_;
  Index cols_;
  double square_ = 0.0;
};

}  // namespace acfw
