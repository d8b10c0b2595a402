// Is a quadratic model to be solved on its Hessian, formed as a small matrix, or by sweeps through the columns? What either costs is
// estimated from sizes, and from what was seen: how many sweeps the last models took, and how many models a Hessian served before
// it foretold them no more. Forming pays where few entries meet in a row, or where the Hessian lasts; sweeps where columns
// hardly resemble one another.
//
//   if (forming.pays(A, columns)) ... forming.serve(); else ... forming.swept(descent.sweeps());
#pragma once

#include <algorithm>
#include <cmath>

#include "acfw/linear/design.hpp"

namespace acfw {

class Forming {
 public:
  /// Would it be cheaper to form the Hessian on these columns, if every observation has that many margins, which bend one another?
  bool pays(const Design& A, const Columns& columns, Index margins = 1) {
    weigh(A, columns, static_cast<double>(margins));
    const double lasting = std::max(life_, 1.0), reluctance = margins > 1 ? exactness : 1.0;
    return price_ + lasting * solution_ < reluctance * lasting * (sweeps_ * sweep_ + moments_);
  }

  /// After so many sweeps it would have been.
  double enough_sweeps() const { return 2.0 + 2.0 * (price_ + solution_) / sweep_; }

  /// Do sweeps through the columns cost less than those over the Hessian, where no face of it leads to the end?
  bool sweeps_better_apart() const { return sweep_ < 0.25 * solution_; }

  /// A model has been solved by so many sweeps,
  void swept(double sweeps) {
    sweeps_ += 0.5 * (sweeps - sweeps_);
    life_ += 0.02 * (usual_life - life_);  // nobody knows how long a Hessian would have lasted meanwhile
  }
  /// or on the Hessian,
  void serve() { ++served_; }
  /// which is of no use any more.
  void end() {
    if (served_ > 0.0) life_ += 0.5 * (served_ - life_);
    served_ = 0.0;
  }

 private:
  // All in passes over one entry of a column. Products of dense columns are blocked and go by registers; those of sparse ones are added
  // row by row, once the columns have been sorted into rows. Where margins bend one another a step changes all of them, and a Hessian
  // is that of each and of all together.
  void weigh(const Design& A, const Columns& columns, double margins) {
    const double k = static_cast<double>(columns.size()), observations = static_cast<double>(A.rows()) / margins;
    double entries = 0.0;
    for (Index j : columns) entries += static_cast<double>(A.column_size(j));
    const double together = entries / observations;
    const bool apart = margins == 1.0, full = A.dense() || (!apart && entries > 0.2 * observations * k);
    sweep_ = ((full ? 1.5 : 2.5) + (apart ? 0.0 : 2.0 + margins)) * entries;
    moments_ = (apart ? 1.0 : 1.0 + margins) * entries;
    price_ = (full ? together / 16.0 : 4.0 + together) * entries + k * k * k / 30.0;
    if (!apart) price_ = 1.3 * price_ + 6.0 * entries;
    solution_ = 2.0 * k * k;
  }

  static constexpr double usual_life = 3.0;
  // By how much sweeps have to be cheaper where margins bend one another: on a Hessian a model is solved exactly, and fewer follow.
  static constexpr double exactness = 1.8;

  double sweeps_ = 3.0;
  double life_ = usual_life, served_ = 0.0;
  double sweep_ = 0.0, moments_ = 0.0, price_ = 0.0, solution_ = 0.0;
};

}  // namespace acfw
