// The families by their names: one row each.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "acfw/losses/binomial.hpp"
#include "acfw/losses/gaussian.hpp"
#include "acfw/losses/multinomial.hpp"
#include "acfw/losses/poisson.hpp"

namespace acfw {

/// `classes` is the number of margins of an observation, for the family that has several.
inline std::unique_ptr<Loss> make_loss(const std::string& family, Vector y, Vector w, Index classes = 1) {
  if (family == "binomial") return std::make_unique<Binomial>(std::move(y), std::move(w));
  if (family == "gaussian") return std::make_unique<Gaussian>(std::move(y), std::move(w));
  if (family == "poisson") return std::make_unique<Poisson>(std::move(y), std::move(w));
  if (family == "multinomial") return std::make_unique<Multinomial>(std::move(y), std::move(w), classes);
  throw std::invalid_argument("unknown family: " + family);
}

}  // namespace acfw
