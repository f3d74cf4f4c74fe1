#include "bindings.hpp"

NB_MODULE(_core, m) {
  nanobind::set_leak_warnings(false);  // tracebacks may hold objects past the end of the interpreter
  m.doc() = "The compiled core of spinney.";
  spinney::bindings::bind_tree(m);
  spinney::bindings::bind_grow(m);
  spinney::bindings::bind_prune(m);
  spinney::bindings::bind_rules(m);
  spinney::bindings::bind_forest(m);
  spinney::bindings::bind_evolve(m);
  spinney::bindings::bind_ensemble(m);
  spinney::bindings::bind_leaves(m);
  spinney::bindings::bind_shapley(m);
  spinney::bindings::bind_file(m);
  spinney::bindings::bind_planner(m);
}
