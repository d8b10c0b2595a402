// What passes over the observations add up.
#pragma once

#include <limits>

namespace acfw {

/// At the margins: the derivatives of the loss, their sizes, and the second derivatives; the loss itself where a look finds it on its way.
struct ResidualSums {
  double sum = 0.0, size = 0.0, weight = 0.0, loss = std::numeric_limits<double>::quiet_NaN();
  void operator+=(const ResidualSums& other) {
    sum += other.sum;
    size += other.size;
    weight += other.weight;
    loss += other.loss;
  }
};

/// For a shift of the margins: the divergence, the change of the sum of derivatives, the second derivatives after it.
struct ShiftSums {
  double divergence = 0.0, slope = 0.0, curvature = 0.0;
  void operator+=(const ShiftSums& other) {
    divergence += other.divergence;
    slope += other.slope;
    curvature += other.curvature;
  }
};

}  // namespace acfw
