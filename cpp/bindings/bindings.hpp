#pragma once

#include <nanobind/nanobind.h>

namespace spinney::bindings {

void bind_tree(nanobind::module_& m);

}  // namespace spinney::bindings
