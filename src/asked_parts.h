// Parts as R holds them where they live, behind an external pointer, and as a run sees them: an R function that asks all of them at once.
#pragma once

#include <Rcpp.h>

#include <functional>
#include <vector>

#include "acfw/parts/question.hpp"

/// Its data may be away between two questions that need them.
struct HeldPart {
  virtual ~HeldPart() = default;
  virtual acfw::Vector answer(const acfw::Question& question) = 0;
  virtual bool needs_data(acfw::Verb verb, bool columns) const = 0;
  virtual void attach(const Rcpp::RObject& data) = 0;
  virtual void detach() = 0;
};
using PartPointer = Rcpp::XPtr<HeldPart>;

class AskedParts final : public acfw::Parts {
 public:
  /// `ask` is a function, or a list of parts that are all in this process: these are asked without R between, which for small
  /// shards would be most of the work. `save` may be nothing: then there are no rows to be saved.
  AskedParts(Rcpp::RObject ask, Rcpp::Function restore, Rcpp::RObject save = R_NilValue)
      : ask_(std::move(ask)), restore_(std::move(restore)), save_(std::move(save)) {
    if (ask_.sexp_type() != VECSXP) return;
    for (const Rcpp::RObject part : Rcpp::List(ask_)) here_.emplace_back(part);
  }

  void set_recipe(std::function<std::vector<acfw::Question>()> recipe) override { recipe_ = std::move(recipe); }

  acfw::Vector ask(const acfw::Question& question) override { return here_.empty() ? ask_elsewhere(question) : ask_here(question); }

  bool save_rows(bool candidate) override {
    return save_.isNULL() || Rcpp::as<bool>(call(save_, Rf_ScalarLogical(candidate), R_NilValue, R_NilValue));
  }

 private:
  acfw::Vector ask_here(const acfw::Question& question) {
    const acfw::Index count = static_cast<acfw::Index>(here_.size());
    std::vector<acfw::PartialSum> sums;
    for (acfw::Index k = 0; k < count; ++k) sums.push_back({0, k, here_[static_cast<std::size_t>(k)]->answer(question)});
    acfw::add_neighbours(sums, count, question.verb);
    return std::move(sums[0].value);
  }

  acfw::Vector ask_elsewhere(const acfw::Question& question) {
    const Rcpp::IntegerVector verb = Rcpp::IntegerVector::create(static_cast<int>(question.verb));
    const Rcpp::IntegerVector columns = in_r(question.columns);
    const Rcpp::NumericVector numbers(question.numbers.begin(), question.numbers.end());
    for (;;) {
      const Rcpp::RObject answer = call(ask_, verb, columns, numbers);
      if (!answer.isNULL()) return Rcpp::as<acfw::Vector>(answer);
      const bool joins = !acfw::is_of_a_phase(question.verb);
      call(restore_, recipe_in_r(), Rf_ScalarLogical(joins), R_NilValue);  // some were lost
      if (!joins) throw acfw::PartsLost();
    }
  }

  static SEXP call(SEXP function, SEXP a, SEXP b, SEXP c) {
    return Rcpp::unwindProtect([&] {
      SEXP all = PROTECT(Rf_isNull(b) ? Rf_lang2(function, a) : Rf_isNull(c) ? Rf_lang3(function, a, b) : Rf_lang4(function, a, b, c));
      SEXP answer = Rf_eval(all, R_GlobalEnv);
      UNPROTECT(1);
      return answer;
    });
  }

  Rcpp::List recipe_in_r() const {
    Rcpp::List all;
    if (!recipe_) return all;
    for (const acfw::Question& question : recipe_()) {
      all.push_back(Rcpp::List::create(Rcpp::_["verb"] = static_cast<int>(question.verb), Rcpp::_["columns"] = in_r(question.columns),
                                       Rcpp::_["numbers"] = Rcpp::NumericVector(question.numbers.begin(), question.numbers.end())));
    }
    return all;
  }

  static Rcpp::IntegerVector in_r(const acfw::Columns& columns) { return Rcpp::IntegerVector(columns.begin(), columns.end()); }

  Rcpp::RObject ask_;
  Rcpp::Function restore_;
  Rcpp::RObject save_;
  std::vector<PartPointer> here_;
  std::function<std::vector<acfw::Question>()> recipe_;
};
