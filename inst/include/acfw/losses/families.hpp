// The families by their names: one row each.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "acfw/losses/binomial.hpp"
#include "acfw/losses/gaussian.hpp"

namespace acfw {

inline std::unique_ptr<Loss> make_loss(const std::string& family, Vector y, Vector w) {
  if (family == "binomial") return std::make_unique<Binomial>(std::move(y), std::move(w));
  if (family == "gaussian") return std::make_unique<Gaussian>(std::move(y), std::move(w));
  throw std::invalid_argument("unknown family: " + family);
}

}  // namespace acfw
