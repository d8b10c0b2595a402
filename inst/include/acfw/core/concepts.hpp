// What the loop asks of its policies, checked before it is compiled: who forgets a verb reads a sentence and not a page of templates.
#pragma once

#include <type_traits>
#include <utility>

#include "acfw/core/move.hpp"

namespace acfw {

namespace detail {

template <class, template <class...> class Verb, class... Args>
struct Has : std::false_type {};
template <template <class...> class Verb, class... Args>
struct Has<std::void_t<Verb<Args...>>, Verb, Args...> : std::true_type {};

/// Is the expression `Verb<Args...>` one that compiles?
template <template <class...> class Verb, class... Args>
inline constexpr bool has = Has<void, Verb, Args...>::value;

template <class T>
T& a();  // an object of the type, for expressions that are never evaluated

template <class F> using Value = decltype(double(a<F>().value()));
template <class F> using Gradient = decltype(a<F>().gradient());
template <class F> using AlongPoint = decltype(double(a<F>().along_point()));
template <class F, class Atom> using Along = decltype(double(a<F>().along(a<const Atom>())));
template <class F, class Atom> using Prepare = decltype(double(a<F>().prepare(a<const Move<Atom>>())));
template <class F> using Divergence = decltype(double(a<F>().divergence(1.0)));
template <class F> using Commit = decltype(a<F>().commit(1.0));
template <class F, class D> using Rebuild = decltype(bool(a<F>().rebuild(a<const D>().active())));
template <class S, class F> using Minimize = decltype(a<S>().minimize(a<F>().gradient(), 0.0).atom);
template <class S, class F> using Bound = decltype(double(a<S>().minimize(a<F>().gradient(), 0.0).bound));
template <class D, class Atom> using Start = decltype(a<D>().start(a<const Atom>()));
template <class D, class F, class Atom> using Choose = decltype(Move<Atom>(a<D>().choose(a<F>(), a<const Vertex<Atom>>(), 0.0)));
template <class D, class Atom> using Gap = decltype(double(a<D>().gap(a<const Vertex<Atom>>(), 0.0)));
template <class D, class Atom> using CommitMove = decltype(bool(a<D>().commit(a<const Move<Atom>>(), 1.0)));

}  // namespace detail

/// Of an objective and a dictionary by themselves.
template <class Objective, class Dictionary>
struct Concepts {
  using F = Objective;
  static_assert(detail::has<detail::Value, F>, "acfw: an objective needs value(), f at the point that it holds");
  static_assert(detail::has<detail::Gradient, F>, "acfw: an objective needs gradient(), in the form that its dictionary takes");
  static_assert(detail::has<detail::AlongPoint, F>, "acfw: an objective needs along_point(), <g, x>");
  static_assert(detail::has<detail::Divergence, F>,
                "acfw: an objective needs divergence(gamma), f(x - gamma d) - f(x) + gamma <g, d> along the prepared d");
  static_assert(detail::has<detail::Commit, F>, "acfw: an objective needs commit(gamma), x <- x - gamma d");
  static_assert(detail::has<detail::Minimize, Dictionary, F>,
                "acfw: a dictionary needs minimize(g, accuracy), which takes what the objective calls its gradient and returns a Vertex");
  static_assert(detail::has<detail::Bound, Dictionary, F>,
                "acfw: what minimize() returns needs a bound, at most the minimum of <g, v>: see Vertex and exact_vertex()");
};

/// Of the two together with a direction, for the atoms that the dictionary has.
template <class Objective, class Direction, class Atom>
struct ConceptsOfAtoms {
  using F = Objective;
  static_assert(detail::has<detail::Prepare, F, Atom>,
                "acfw: an objective needs prepare(move), which forms the image of d once and returns ||d||^2, for the atoms of this dictionary");
  static_assert(detail::has<detail::Rebuild, F, Direction>,
                "acfw: an objective needs rebuild(active), which makes the point and its images from scratch, from its atoms where they are kept");
  static_assert(detail::has<detail::Start, Direction, Atom>, "acfw: a direction needs start(atom), the first iterate");
  static_assert(detail::has<detail::Choose, Direction, F, Atom>,
                "acfw: a direction needs choose(objective, vertex, along_point), the Move of this iteration; those that keep atoms "
                "ask the objective for along(atom) = <g, a>, and the atom for key(a) and same(a, b)");
  static_assert(detail::has<detail::Gap, Direction, Atom>, "acfw: a direction needs gap(vertex, along_point)");
  static_assert(detail::has<detail::CommitMove, Direction, Atom>, "acfw: a direction needs commit(move, gamma): was it a drop?");
};

}  // namespace acfw
