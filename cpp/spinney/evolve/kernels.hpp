#pragma once
// Loops over the rows of a block, one an operation.

#include "spinney/evolve/truth.hpp"
#include "spinney/expression/expression.hpp"

namespace spinney::kernels {

/// An array, or one number for all rows.
struct Operand {
  const double* data = nullptr;
  double scalar = 0.0;
};

void arithmetic(Op op, Operand a, Operand b, double* out, std::size_t n);
void sine(const double* a, double* out, std::size_t n, bool near);  // near: all are below kFarSine

enum class Relation {
  greater,
  less,
  equal,
  known,  // neither is missing
};

/// A bit for each row for which `a relation b` holds; those of the last word that belong to no row are 0.
void compare(Operand a, Relation relation, Operand b, Word* out, std::size_t n);
/// `a > b op c` or `a < b op c`. The result of the operation is written nowhere.
void compare(Operand a, bool greater, Op op, Operand b, Operand c, Word* out, std::size_t n);

}  // namespace spinney::kernels
