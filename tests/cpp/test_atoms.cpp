#include <acfw.hpp>
#include "check.hpp"

using namespace acfw;

namespace {

Vector dense(const AnyAtom& a, Index n) {
  Vector x = Vector::Zero(n);
  add_to(x, 1.0, a);
  return x;
}

std::vector<AnyAtom> one_of_each() {
  Sparse sparse{{0, 3, 5}, {1.0, -2.0, 0.5}};
  return {Coordinate{2, -3.0}, sparse, Dense{Vector::LinSpaced(6, -1.0, 2.0)},
          RankOne{Vector::LinSpaced(2, 1.0, 2.0), Vector::LinSpaced(3, -1.0, 1.0)}};
}

}  // namespace

TEST_CASE("every kind of atom agrees with its dense form", "[atoms]") {
  const Vector x = Vector::LinSpaced(6, 0.3, 4.0);
  for (const AnyAtom& atom : one_of_each()) {
    const Vector full = dense(atom, 6);
    CHECK(dot(x, atom) == close_to(x.dot(full)));
    CHECK(squared_norm(atom) == close_to(full.squaredNorm()));
    Vector y = x;
    add_to(y, -0.5, atom);
    CHECK((y - (x - 0.5 * full)).norm() <= 1e-15 * x.norm());
  }
}

TEST_CASE("a key tells atoms apart and finds equal ones", "[atoms]") {
  const auto atoms = one_of_each();
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < atoms.size(); ++j) {
      CHECK((key(atoms[i]) == key(atoms[j])) == (i == j));
      CHECK(same(atoms[i], atoms[j]) == (i == j));
    }
  }
  CHECK(key(Coordinate{1, 1.0}) != key(Coordinate{1, -1.0}));
  CHECK(key(Dense{Vector::Zero(2)}) == key(Dense{-Vector::Zero(2)}));
}

TEST_CASE("an active set keeps its weights through additions, removals and rescalings", "[active set]") {
  ActiveSet<Coordinate> set;
  for (Index j = 0; j < 50; ++j) set.add({j, 1.0}, 0.02);
  set.add({7, 1.0}, 0.5);
  CHECK(set.size() == 50);
  for (int k = 0; k < 30; ++k) set.remove(static_cast<std::size_t>(k % 20));
  CHECK(set.size() == 20);
  for (int k = 0; k < 64; ++k) set.tidy();
  double sum = 0.0;
  for (double w : set.weights()) sum += w;
  CHECK(sum == close_to(1.0, 1e-14));
  const Coordinate held = set.atom(3);
  set.add(held, 0.0);
  CHECK(set.size() == 20);
}

TEST_CASE("a length keeps its digits where its square overflows, vanishes or is no number", "[atoms]") {
  const Vector x = Vector::LinSpaced(7, -2.0, 5.0);
  for (double unit : {1.0, 1e-300, 1e300, 1e-320, 1e140, 1e-140}) {
    const Vector scaled = unit * x;
    const double tight = unit < 1e-307 ? 1e-3 : 1e-14;  // denormal entries have few digits
    CHECK(std::abs(length(scaled) / unit - x.norm()) <= tight * x.norm());
  }
  CHECK(length(Vector()) == 0.0);
  CHECK(length(Vector::Zero(3)) == 0.0);
  CHECK(std::isinf(length(Vector::Constant(3, std::numeric_limits<double>::infinity()))));
  CHECK(std::isnan(length(Vector::Constant(3, std::numeric_limits<double>::quiet_NaN()))));
}
