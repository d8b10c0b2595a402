// A direction chosen at run time: one of Algorithms 2-5 or the fully corrective one, with the interface each of them has.
#pragma once

#include <stdexcept>
#include <string>
#include <variant>

#include "acfw/directions/afw.hpp"
#include "acfw/directions/cfw.hpp"
#include "acfw/directions/fcfw.hpp"
#include "acfw/directions/mp.hpp"
#include "acfw/directions/pfw.hpp"

namespace acfw {

template <class Atom>
class AnyDirection {
 public:
  using Choice = std::variant<Cfw<Atom>, Mp<Atom>, Pfw<Atom>, Afw<Atom>, Fcfw<Atom>>;

  AnyDirection(Choice choice) : choice_(std::move(choice)) {}

  void start(const Atom& x0) {
    std::visit([&](auto& d) { d.start(x0); }, choice_);
  }

  template <class Objective>
  Move<Atom> choose(Objective& objective, const Vertex<Atom>& v, double along_point) {
    return std::visit([&](auto& d) { return d.choose(objective, v, along_point); }, choice_);
  }

  double gap(const Vertex<Atom>& v, double along_point) const {
    return std::visit([&](const auto& d) { return d.gap(v, along_point); }, choice_);
  }

  bool bounds() const {
    return std::visit([](const auto& d) { return d.bounds(); }, choice_);
  }

  bool commit(const Move<Atom>& move, double gamma) {
    return std::visit([&](auto& d) { return d.commit(move, gamma); }, choice_);
  }

  const ActiveSet<Atom>* active() const {
    return std::visit([](const auto& d) { return d.active(); }, choice_);
  }

  void resume(ActiveSet<Atom> active) {
    std::visit([&](auto& d) { d.resume(std::move(active)); }, choice_);
  }

  /// The atoms that a corrector may weigh anew, or nullptr.
  ActiveSet<Atom>* held() {
    return std::visit([](auto& d) { return d.held(); }, choice_);
  }

 private:
  Choice choice_;
};

/// The subroutine called `method`: "cfw", "mp", "pfw", "afw" or "corrective".
template <class Atom>
AnyDirection<Atom> make_direction(const std::string& method) {
  if (method == "mp") return {Mp<Atom>{}};
  if (method == "pfw") return {Pfw<Atom>{}};
  if (method == "afw") return {Afw<Atom>{}};
  if (method == "corrective") return {Fcfw<Atom>{}};
  if (method == "cfw") return {Cfw<Atom>{}};
  throw std::invalid_argument("unknown method: " + method);
}

}  // namespace acfw
