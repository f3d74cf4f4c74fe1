#pragma once
// A target that owns its arrays.

#include <vector>

#include "spinney/data/target.hpp"

namespace spinney::bindings {

struct BoundTarget {
  Target target;
  std::vector<std::int32_t> codes;
  std::vector<double> y, weight, exposure;
};

}  // namespace spinney::bindings
