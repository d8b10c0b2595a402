// What an objective may tell beyond what the loop asks of every one; where a verb is missing the loop goes without it.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace acfw {

namespace detail {

// An objective that keeps its point as a short sum (nonzero coordinates, rank-one terms) tells the length of it.
template <class T, class = void>
struct CountsPieces : std::false_type {};
template <class T>
struct CountsPieces<T, std::void_t<decltype(std::declval<const T&>().pieces())>> : std::true_type {};

// An objective that knows what its value and its gradient are sums of tells how much of them may be rounding.
template <class T, class = void>
struct RoundsValue : std::false_type {};
template <class T>
struct RoundsValue<T, std::void_t<decltype(std::declval<T&>().value_rounding())>> : std::true_type {};

template <class Objective>
double value_rounding(Objective& f) {
  if constexpr (RoundsValue<Objective>::value) return f.value_rounding();
  return std::numeric_limits<double>::epsilon() * std::abs(f.value());
}

template <class T, class Atom, class = void>
struct RoundsGradient : std::false_type {};
template <class T, class Atom>
struct RoundsGradient<T, Atom, std::void_t<decltype(std::declval<T&>().gradient_rounding(std::declval<const Atom&>(), 0.0))>>
    : std::true_type {};

// An objective that minimises over further variables by itself tells about how far it is from their minimum.
template <class T, class = void>
struct LeavesUnsettled : std::false_type {};
template <class T>
struct LeavesUnsettled<T, std::void_t<decltype(std::declval<const T&>().unsettled())>> : std::true_type {};

template <class Objective>
double unsettled(const Objective& f) {
  if constexpr (LeavesUnsettled<Objective>::value) return f.unsettled();
  return 0.0;
}

// An objective that knows the images of atoms gives a corrector over their hull its model, see correctors/image_model.hpp.
template <class T, class = void>
struct KnowsImages : std::false_type {};
template <class T>
struct KnowsImages<T, std::void_t<decltype(std::declval<const T&>().image_size())>> : std::true_type {};

// An atom that tells its length shows when a start is so far from it that the way hides its digits.
template <class Atom, class = void>
struct HasLength : std::false_type {};
template <class Atom>
struct HasLength<Atom, std::void_t<decltype(squared_norm(std::declval<const Atom&>()))>> : std::true_type {};

}  // namespace detail

}  // namespace acfw
