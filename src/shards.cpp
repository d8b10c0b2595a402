// acfw_glm() on shards. Where a part lives, R holds it behind an external pointer; where the run is, parts are an R function that asks all
// of them at once. What travels is decided by R alone.
#include "r_eigen.h"  // first: it has to see Eigen before anyone else

#include <acfw/linear/blocks.hpp>
#include <acfw/linear/storage.hpp>
#include <acfw/linear/singular_bound.hpp>
#include <acfw/objectives/glm_of_parts.hpp>
#include <acfw/parts/normal_operator.hpp>
#include <acfw/parts/part.hpp>

#include <cmath>
#include <functional>
#include <limits>

#include "asked_parts.h"
#include "designs.h"
#include "glm_session.h"
#include "mapped.cpp"  // its only user
#include "session.h"

namespace {

using acfw::Index;
using acfw::Vector;

// ---- designs in files ---------------------------------------------------------------------------------------------

template <class Kind>
struct Mapped : Kind {
  template <class... Args>
  Mapped(std::shared_ptr<MappedFile> file, Args... args) : Kind(args...), file(std::move(file)) {}
  std::shared_ptr<MappedFile> file;
};

struct MappedMatrix {
  std::shared_ptr<MappedFile> file;
  Index rows, cols;
  bool sparse;
  double at, stride, start_at, row_at;

  explicit MappedMatrix(const Rcpp::List& x)
      : rows(static_cast<Index>(Rcpp::as<double>(x["rows"]))),
        cols(static_cast<Index>(Rcpp::as<double>(x["cols"]))),
        sparse(Rcpp::as<bool>(x["sparse"])),
        at(Rcpp::as<double>(x["at"])),
        stride(Rcpp::as<double>(x["stride"])),
        start_at(Rcpp::as<double>(x["start_at"])),
        row_at(Rcpp::as<double>(x["row_at"])) {
    const auto path = Rcpp::as<std::string>(x["path"]);
    try {
      file = std::make_shared<MappedFile>(path);
    } catch (const std::runtime_error& error) {
      throw InvalidResult{"x", "is in " + path + ", which cannot be mapped: " + error.what()};
    }
    const double entries = sparse ? Rcpp::as<double>(x["entries"]) : stride * static_cast<double>(cols - 1) + static_cast<double>(rows);
    if (at + 8.0 * entries > static_cast<double>(file->size())) throw InvalidResult{"x", "is in " + path + ", which is shorter than it should be"};
  }

  const double* values() const { return reinterpret_cast<const double*>(file->data() + static_cast<std::size_t>(at)); }
  acfw::DenseStorage dense() const { return {values(), rows, static_cast<Index>(stride)}; }
  acfw::CompressedStorage compressed() const { return {ints(start_at), ints(row_at), values()}; }

 private:
  const int* ints(double from) const { return reinterpret_cast<const int*>(file->data() + static_cast<std::size_t>(from)); }
};

// `file`, if it is wanted, is the one that is mapped.
std::shared_ptr<acfw::Design> design_of_shard(const Rcpp::RObject& x, Index blocks, std::shared_ptr<MappedFile>* file = nullptr) {
  if (!Rf_inherits(x, "acfw_mapped")) return blocks > 1 ? blocks_from_r(x, blocks) : design_from_r(x);
  const MappedMatrix A{Rcpp::List(x)};
  if (file) *file = A.file;
  if (A.sparse) {
    const acfw::CompressedStorage s = A.compressed();
    if (blocks > 1) return std::make_shared<Mapped<acfw::BlockDesign<acfw::CompressedStorage>>>(A.file, s, A.rows, A.cols, blocks);
    return std::make_shared<Mapped<acfw::CompressedDesign>>(A.file, s.start, s.row, s.value, A.rows, A.cols);
  }
  const acfw::DenseStorage s = A.dense();
  if (blocks > 1) return std::make_shared<Mapped<acfw::BlockDesign<acfw::DenseStorage>>>(A.file, s, A.rows, A.cols, blocks);
  return std::make_shared<Mapped<acfw::DenseDesign>>(A.file, s.data, A.rows, A.cols, s.stride);
}

// ---- a part, where it lives ---------------------------------------------------------------------------------------

struct HeldRows final : HeldPart {
  HeldRows(Layout l, Rcpp::List given, acfw::Part rows) : layout(l), columns(std::move(given)), part(std::move(rows)) {}
  // What was read of a mapped file is given back, so that of all the parts of a process one at a time takes memory.
  Vector answer(const acfw::Question& question) override {
    const Vector found = part.answer(question);
    if (file && needs_data(question.verb, !question.columns.empty())) file->give_back();
    return found;
  }
  bool needs_data(acfw::Verb verb, bool columns) const override { return acfw::needs_design(verb, columns); }
  void attach(const Rcpp::RObject& x) override {
    auto A = design_of_shard(x, layout.blocks() ? layout.classes : 1, &file);
    scale_design(*A, columns, layout);
    part.attach(std::move(A));
  }
  void detach() override {
    part.detach();
    file.reset();
  }

  Layout layout;
  Rcpp::List columns;  // what is done to them
  acfw::Part part;
  std::shared_ptr<MappedFile> file;
};

HeldRows& rows_of(SEXP held) { return static_cast<HeldRows&>(*PartPointer(held)); }

Layout layout_of(const Rcpp::List& problem) {
  return {static_cast<Index>(Rcpp::as<double>(problem["rows"])), static_cast<Index>(Rcpp::as<double>(problem["cols"])),
          static_cast<Index>(Rcpp::as<double>(problem["classes"]))};
}

acfw::Question question_of(int verb, const Rcpp::IntegerVector& columns, const Rcpp::NumericVector& numbers) {
  return {static_cast<acfw::Verb>(verb), acfw::Columns(columns.begin(), columns.end()), std::vector<double>(numbers.begin(), numbers.end())};
}

// ---- all of them, as the run sees them ----------------------------------------------------------------------------

std::pair<std::unique_ptr<acfw::Regression>, Layout> objective_of_parts(const Rcpp::RObject& ask, const Rcpp::Function& restore,
                                                                        const Rcpp::List& problem) {
  const Layout layout = layout_of(problem);
  auto parts = std::make_shared<AskedParts>(ask, restore);
  acfw::RowFacts rows{layout.rows, layout.size(), Rcpp::as<double>(problem["total"]),
                      layout.spread(Rcpp::as<Vector>(problem["lengths"]), std::sqrt(static_cast<double>(layout.rows))),
                      Rcpp::as<double>(problem["offset_length"])};
  if (Rcpp::as<bool>(problem["screen"])) {
    rows.norms = rows.lengths;
    if (!layout.blocks()) rows.norms = Rcpp::as<Vector>(problem["norms"]);
  }
  auto objective = std::make_unique<acfw::GlmOfParts>(
      parts, acfw::make_loss(Rcpp::as<std::string>(problem["family"]), Vector(0), Vector(0), layout.classes), std::move(rows),
      settings_of(problem, layout, 1), layout.spread(Rcpp::as<Vector>(problem["start"]), 0.0));
  return {std::move(objective), layout};
}

}  // namespace

// A part without its design.
// [[Rcpp::export]]
SEXP part_make(Rcpp::List problem, double threads) {
  const Layout layout = layout_of(problem);
  const Rcpp::NumericVector offset = problem["offset"];
  acfw::Part part(make_loss(problem, layout), layout.interleaved(Eigen::Map<const Vector>(offset.begin(), offset.size())),
                  static_cast<int>(threads));
  const Rcpp::List columns = Rcpp::List::create(Rcpp::_["scale"] = problem["scale"], Rcpp::_["intercept"] = problem["intercept"]);
  return PartPointer(new HeldRows(layout, columns, std::move(part)));
}

// Returns NULL, or a failure.
// [[Rcpp::export]]
SEXP part_attach(SEXP held, Rcpp::RObject data) {
  return attempt([&]() -> SEXP {
    PartPointer(held)->attach(data);
    return R_NilValue;
  });
}

// [[Rcpp::export]]
void part_detach(SEXP held) { PartPointer(held)->detach(); }

// [[Rcpp::export]]
SEXP part_answer(SEXP held, int verb, Rcpp::IntegerVector columns, Rcpp::NumericVector numbers) {
  return attempt([&]() -> SEXP { return Rcpp::wrap(PartPointer(held)->answer(question_of(verb, columns, numbers))); });
}

// [[Rcpp::export]]
bool part_needs_data(SEXP held, int verb, bool columns) { return PartPointer(held)->needs_data(static_cast<acfw::Verb>(verb), columns); }

// Partial sums of answers, as few as they can be made.
// [[Rcpp::export]]
Rcpp::List add_partial_sums(Rcpp::List sums, double count, int verb) {
  std::vector<acfw::PartialSum> nodes;
  for (R_xlen_t k = 0; k < sums.size(); ++k) {
    const Rcpp::List sum = sums[k];
    nodes.push_back({Rcpp::as<int>(sum["level"]), Rcpp::as<int>(sum["place"]), Rcpp::as<Vector>(sum["value"])});
  }
  acfw::add_neighbours(nodes, static_cast<Index>(count), static_cast<acfw::Verb>(verb));
  Rcpp::List out(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    out[k] = Rcpp::List::create(Rcpp::_["level"] = static_cast<int>(nodes[k].level), Rcpp::_["place"] = static_cast<int>(nodes[k].place),
                                Rcpp::_["value"] = nodes[k].value);
  }
  return out;
}

// The columns of a shard under its weights: mean, sum of squared deviations from it, range; length and sum without weights.
// [[Rcpp::export]]
SEXP describe_columns(Rcpp::RObject x, Eigen::VectorXd w) {
  return attempt([&]() -> SEXP {
    const auto A = design_of_shard(x, 1);
    const Index p = A->cols();
    const double total = w.sum();
    const bool equal = w.size() > 0 && (w.array() == w[0]).all() && w[0] > 0.0;
    Vector mean(p), square(p), spread(p), low(p), high(p), length2(p), sum(p), one(1), its_square(1);
    for (Index j = 0; j < p; ++j) {  // column by column, so that each is read once
      A->weighted_moments({j}, 0, w, one, its_square, 1);
      mean[j] = one[0];
      square[j] = its_square[0];
      const acfw::Design::Range entries = A->range(j);
      low[j] = entries.low;
      high[j] = entries.high;
      if (total > 0.0) mean[j] /= total;
      spread[j] = square[j] - total * mean[j] * mean[j];
      if (total > 0.0 && !(spread[j] > 0.1 * square[j])) {  // most digits are gone
        const double sd = A->deviation(j, w / total);
        spread[j] = total * sd * sd;
      }
    }
    if (equal) {
      length2 = square / w[0];
      sum = mean * static_cast<double>(A->rows());
    } else {
      const acfw::Design::Moments plain = A->moments(w);
      length2 = plain.square;
      sum = plain.sum;
    }
    return Rcpp::List::create(Rcpp::_["mean"] = mean, Rcpp::_["spread"] = spread, Rcpp::_["low"] = low, Rcpp::_["high"] = high,
                              Rcpp::_["length2"] = length2, Rcpp::_["sum"] = sum);
  });
}

// The loss of the model without variables.
// [[Rcpp::export]]
double null_loss_of_parts(Rcpp::RObject ask, Rcpp::Function restore, Rcpp::List problem) {
  auto [objective, layout] = objective_of_parts(ask, restore, problem);
  return objective->loss();
}

// The largest eigenvalue of A'WA, and at most a hundredth more.
// [[Rcpp::export]]
double spectral_square_of_parts(Rcpp::RObject ask, Rcpp::Function restore, Rcpp::List problem) {
  const Layout layout = layout_of(problem);
  AskedParts parts(ask, restore);
  acfw::NormalOperator A(parts, layout.size());
  const Vector lengths = layout.spread(Rcpp::as<Vector>(problem["lengths"]), std::sqrt(static_cast<double>(layout.rows)));
  A.set_size(Rcpp::as<double>(problem["total"]) * lengths.squaredNorm());
  acfw::KrylovGoal goal;
  goal.relative = 1e-3;
  goal.stop = [] { return check_interrupt(), false; };
  acfw::SingularBlock block = acfw::leading_singular_block(A, acfw::scattered_unit_vector(A.cols()), goal);
  acfw::BoundGoal bound;
  bound.relative = 1e-2;
  bound.stop = goal.stop;
  return acfw::certified_bound(A, block, bound);
}

// A session whose rows are wherever `ask(verb, columns, numbers)` finds them.
// [[Rcpp::export]]
SEXP session_parts(Rcpp::RObject ask, Rcpp::Function restore, Rcpp::List problem, Rcpp::List path, std::string method, std::string step,
                   Rcpp::List control) {
  return attempt([&]() -> SEXP {
    auto [objective, layout] = objective_of_parts(ask, restore, problem);
    return start_glm_session(layout, std::move(objective), problem, path, method, step, control);
  });
}
