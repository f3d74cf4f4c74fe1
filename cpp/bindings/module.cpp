#include "bindings.hpp"
#include "spinney/multiversion.hpp"

NB_MODULE(_core, m) {
  nanobind::set_leak_warnings(false);  // tracebacks may hold objects past the end of the interpreter
  m.doc() = "The compiled core of spinney.";
  m.def(
      "instructions",
      [] { return spinney::kInstructions.avx512 ? "avx512"
                  : spinney::kInstructions.avx2 ? "avx2"
                                                : "plain"; },
      "What the hot loops are made of on this machine; the environment variable SPINNEY_INSTRUCTIONS may say less.");
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
