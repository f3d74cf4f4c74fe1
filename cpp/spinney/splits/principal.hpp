#pragma once
// An order of categories where there are too many of them for all subsets, and more than two classes.

#include "spinney/splits/groups.hpp"

namespace spinney {

/// The class shares of each group along their first principal component (Coppersmith, Hong and Hosking 1999).
void principal_component(const Groups& groups, std::vector<double>& keys);

}  // namespace spinney
