#pragma once

#include <nanobind/nanobind.h>

namespace spinney::bindings {

void bind_tree(nanobind::module_& m);
void bind_grow(nanobind::module_& m);
void bind_prune(nanobind::module_& m);
void bind_rules(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_evolve(nanobind::module_& m);
void bind_ensemble(nanobind::module_& m);
void bind_leaves(nanobind::module_& m);
void bind_shapley(nanobind::module_& m);
void bind_file(nanobind::module_& m);
void bind_planner(nanobind::module_& m);

}  // namespace spinney::bindings
