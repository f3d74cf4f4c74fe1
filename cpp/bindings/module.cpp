#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of spinney.";
  spinney::bindings::bind_tree(m);
  spinney::bindings::bind_grow(m);
  spinney::bindings::bind_prune(m);
}
