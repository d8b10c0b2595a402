// What passes over the observations add up.
#pragma once

namespace acfw {

/// At the margins: the derivatives of the loss, their sizes, and the second derivatives.
struct ResidualSums {
  double sum = 0.0, size = 0.0, weight = 0.0;
  void operator+=(const ResidualSums& other) {
    sum += other.sum;
    size += other.size;
    weight += other.weight;
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
