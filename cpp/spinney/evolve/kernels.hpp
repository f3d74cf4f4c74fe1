#pragma once
// Loops over the rows of a block, one an operation. Operands are arrays, or one number for all rows.

#include "spinney/evolve/truth.hpp"

namespace spinney::kernels {

void add(const double* a, const double* b, double* out, std::size_t n);
void add(const double* a, double b, double* out, std::size_t n);
void subtract(const double* a, const double* b, double* out, std::size_t n);
void subtract(const double* a, double b, double* out, std::size_t n);
void subtract(double a, const double* b, double* out, std::size_t n);
void multiply(const double* a, const double* b, double* out, std::size_t n);
void multiply(const double* a, double b, double* out, std::size_t n);
void sine(const double* a, double* out, std::size_t n, bool near);  // near: all are below kFarSine

// A bit for each row; those of the last word that belong to no row are 0.
void greater(const double* a, const double* b, Word* out, std::size_t n);
void greater(const double* a, double b, Word* out, std::size_t n);
void less(const double* a, double b, Word* out, std::size_t n);
void equal(const double* a, const double* b, Word* out, std::size_t n);
void equal(const double* a, double b, Word* out, std::size_t n);
/// Where neither is missing.
void known(const double* a, const double* b, Word* out, std::size_t n);
void known(const double* a, double b, Word* out, std::size_t n);

}  // namespace spinney::kernels
