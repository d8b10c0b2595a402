// A dictionary chosen at run time, and the product of several: the one place where the kind of set is erased.
#pragma once

#include <memory>

#include "acfw/core/move.hpp"

namespace acfw {

class AnyDictionary {
 public:
  template <class Dictionary>
  AnyDictionary(Dictionary dictionary) : held_(std::make_shared<Holder<Dictionary>>(std::move(dictionary))) {}

  Vertex<AnyAtom> minimize(VectorView g, double accuracy = 0.0) { return held_->minimize(g, accuracy); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Vertex<AnyAtom> minimize(VectorView g, double accuracy) = 0;
  };

  template <class Dictionary>
  struct Holder final : Base {
    explicit Holder(Dictionary d) : dictionary(std::move(d)) {}
    Vertex<AnyAtom> minimize(VectorView g, double accuracy) override {
      auto v = dictionary.minimize(g, accuracy);
      return {AnyAtom(std::move(v.atom)), v.value, v.bound, v.exact};
    }
    Dictionary dictionary;
  };

  std::shared_ptr<Base> held_;
};

/// A x B x ...: the point is the parts one after another, and so is the atom.
class Cartesian {
 public:
  struct Part {
    AnyDictionary dictionary;
    Index size;
  };

  explicit Cartesian(std::vector<Part> parts) : parts_(std::move(parts)) {}

  Vertex<AnyAtom> minimize(VectorView g, double accuracy = 0.0) {
    Vertex<AnyAtom> whole;
    std::vector<std::pair<Index, AnyAtom>> pieces;
    bool sparse = true;
    Index start = 0;
    for (Part& part : parts_) {
      Vertex<AnyAtom> v = part.dictionary.minimize(g.segment(start, part.size), accuracy / parts_.size());
      whole.value += v.value;
      whole.bound += v.bound;
      whole.exact = whole.exact && v.exact;
      sparse = sparse && (std::holds_alternative<Coordinate>(v.atom) || std::holds_alternative<Sparse>(v.atom));
      pieces.emplace_back(start, std::move(v.atom));
      start += part.size;
    }
    whole.atom = sparse ? AnyAtom(join_sparse(pieces)) : AnyAtom(join_dense(pieces, g.size()));
    return whole;
  }

 private:
  static Sparse join_sparse(const std::vector<std::pair<Index, AnyAtom>>& pieces) {
    Sparse whole;
    for (const auto& [start, piece] : pieces) {
      if (const auto* one = std::get_if<Coordinate>(&piece)) {
        whole.index.push_back(start + one->index);
        whole.value.push_back(one->value);
      } else {
        const auto& some = std::get<Sparse>(piece);
        for (Index i : some.index) whole.index.push_back(start + i);
        whole.value.insert(whole.value.end(), some.value.begin(), some.value.end());
      }
    }
    return whole;
  }

  Dense join_dense(const std::vector<std::pair<Index, AnyAtom>>& pieces, Index size) const {
    Dense whole{Vector::Zero(size)};
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      add_to(whole.value.segment(pieces[k].first, parts_[k].size), 1.0, pieces[k].second);
    }
    return whole;
  }

  std::vector<Part> parts_;
};

}  // namespace acfw
