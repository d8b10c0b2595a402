// The transport polytope {X >= 0 : X 1 = supply, X' 1 = demand}. Its oracle is the transport problem, solved by shortest augmenting
// paths with prices, as the assignment problem of birkhoff.hpp is: from the columns whose demand is open back to rows with supply.
#pragma once

#include <limits>

#include "acfw/core/move.hpp"

namespace acfw {

class TransportPolytope {
 public:
  TransportPolytope(Vector supply, Vector demand) : supply_(std::move(supply)), demand_(std::move(demand)) {}

  Vertex<Sparse> minimize(VectorView g, double = 0.0) const {
    const Eigen::Map<const Eigen::MatrixXd> cost(g.data(), supply_.size(), demand_.size());
    const Eigen::MatrixXd plan = Search(cost, supply_, demand_).plan();
    Sparse atom;
    double value = 0.0;
    for (Index k = 0; k < plan.size(); ++k) {
      if (plan.data()[k] == 0.0) continue;
      atom.index.push_back(k);
      atom.value.push_back(plan.data()[k]);
      value += plan.data()[k] * g[k];
    }
    return exact_vertex(std::move(atom), value);
  }

 private:
  using Cost = Eigen::Map<const Eigen::MatrixXd>;

  class Search {
   public:
    Search(const Cost& cost, const Vector& supply, const Vector& demand)
        : cost_(cost), supply_(supply), demand_(demand), flow_(Eigen::MatrixXd::Zero(cost.rows(), cost.cols())),
          row_price_(Vector::Zero(cost.rows())), column_price_(cost.colwise().minCoeff()), negligible_(1e-15 * supply.sum()) {}

    Eigen::MatrixXd plan() {
      for (Index i = 0; i < cost_.rows(); ++i) {
        while (supply_[i] > negligible_ && augment(i)) {
        }
      }
      return flow_;
    }

   private:
    // One shortest path, by reduced costs, from a row with supply to a column with open demand; false if no demand is left.
    bool augment(Index source) {
      const Index rows = cost_.rows(), columns = cost_.cols(), none = -1;
      constexpr double infinity = std::numeric_limits<double>::infinity();
      Vector to_row = Vector::Constant(rows, infinity), to_column = Vector::Constant(columns, infinity);
      std::vector<Index> row_before(columns, none), column_before(rows, none);
      std::vector<char> row_done(rows, 0), column_done(columns, 0);
      to_row[source] = 0.0;
      Index end = none;
      while (end == none) {
        Index row = none, column = none;
        for (Index i = 0; i < rows; ++i) {
          if (!row_done[i] && to_row[i] < infinity && (row == none || to_row[i] < to_row[row])) row = i;
        }
        for (Index j = 0; j < columns; ++j) {
          if (!column_done[j] && to_column[j] < infinity && (column == none || to_column[j] < to_column[column])) column = j;
        }
        if (row == none && column == none) return false;
        if (row != none && (column == none || to_row[row] <= to_column[column])) {
          row_done[row] = 1;
          for (Index j = 0; j < columns; ++j) {
            const double through = to_row[row] + std::max(0.0, reduced(row, j));
            if (!column_done[j] && through < to_column[j]) to_column[j] = through, row_before[j] = row;
          }
        } else {
          column_done[column] = 1;
          if (demand_[column] > negligible_) end = column;
          for (Index i = 0; i < rows && end == none; ++i) {
            if (row_done[i] || !(flow_(i, column) > 0.0)) continue;
            const double through = to_column[column] + std::max(0.0, -reduced(i, column));
            if (through < to_row[i]) to_row[i] = through, column_before[i] = column;
          }
        }
      }
      reprice(to_row, to_column, to_column[end]);
      push(source, end, row_before, column_before);
      return true;
    }

    double reduced(Index i, Index j) const { return cost_(i, j) + row_price_[i] - column_price_[j]; }

    // Prices under which no reduced cost is negative and those along the path are zero.
    void reprice(const Vector& to_row, const Vector& to_column, double length) {
      row_price_ += to_row.cwiseMin(length);
      column_price_ += to_column.cwiseMin(length);
    }

    void push(Index source, Index end, const std::vector<Index>& row_before, const std::vector<Index>& column_before) {
      double amount = std::min(supply_[source], demand_[end]);
      for (Index j = end;;) {
        const Index i = row_before[j];
        if (i == source) break;
        j = column_before[i];
        amount = std::min(amount, flow_(i, j));
      }
      supply_[source] -= amount;
      demand_[end] -= amount;
      for (Index j = end;;) {
        const Index i = row_before[j];
        flow_(i, j) += amount;
        if (i == source) break;
        j = column_before[i];
        flow_(i, j) -= amount;
      }
    }

    const Cost& cost_;
    Vector supply_, demand_;
    Eigen::MatrixXd flow_;
    Vector row_price_, column_price_;
    double negligible_;
  };

  Vector supply_, demand_;
};

}  // namespace acfw
