#include "spinney/evolve/kernels.hpp"

#include <algorithm>

#include "spinney/expression/expression.hpp"
#include "spinney/multiversion.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define SPINNEY_HAS_AVX2_KERNELS
#endif

namespace spinney::kernels {

// -- Numbers: the compiler vectorises these

SPINNEY_MULTIVERSION void add(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
SPINNEY_MULTIVERSION void add(const double* a, double b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b;
}
SPINNEY_MULTIVERSION void subtract(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - b[i];
}
SPINNEY_MULTIVERSION void subtract(const double* a, double b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - b;
}
SPINNEY_MULTIVERSION void subtract(double a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a - b[i];
}
SPINNEY_MULTIVERSION void multiply(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
SPINNEY_MULTIVERSION void multiply(const double* a, double b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b;
}

namespace {

SPINNEY_MULTIVERSION void near_sines(const double* a, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = near_sine(a[i]);
}
SPINNEY_MULTIVERSION bool all_near(const double* a, std::size_t n) {
  int far = 0;
  for (std::size_t i = 0; i < n; ++i) far |= !(std::abs(a[i]) < kFarSine);
  return far == 0;
}

}  // namespace

void sine(const double* a, double* out, std::size_t n, bool near) {
  if (near || all_near(a, n)) return near_sines(a, out, n);
  for (std::size_t i = 0; i < n; ++i) out[i] = spinney::sine(a[i]);
}

// -- Comparisons: no compiler makes bits of them, so the instruction that does is named

namespace {

enum class Relation { greater, less, equal, known };

template <Relation R>
bool holds(double a, double b) {
  if constexpr (R == Relation::greater) return a > b;
  if constexpr (R == Relation::less) return a < b;
  if constexpr (R == Relation::equal) return a == b;
  return a == a && b == b;
}

/// The right operand: an array, or one number.
double right(const double* b, std::size_t i) { return b[i]; }
double right(double b, std::size_t) { return b; }

template <Relation R, class Right>
Word word_of(const double* a, Right b, std::size_t from, std::size_t n) {
  Word word = 0;
  for (std::size_t i = 0; i < n; ++i) word |= static_cast<Word>(holds<R>(a[from + i], right(b, from + i))) << i;
  return word;
}

template <Relation R, class Right>
void compare_plainly(const double* a, Right b, Word* out, std::size_t n) {
  for (std::size_t from = 0; from < n; from += kWordBits)
    *out++ = word_of<R>(a, b, from, std::min(kWordBits, n - from));
}

#ifdef SPINNEY_HAS_AVX2_KERNELS

template <Relation R>
inline constexpr int kPredicate = R == Relation::greater ? _CMP_GT_OQ
                                  : R == Relation::less  ? _CMP_LT_OQ
                                  : R == Relation::equal ? _CMP_EQ_OQ
                                                         : _CMP_ORD_Q;

__attribute__((target("avx2"))) inline __m256d four(const double* b, std::size_t i) { return _mm256_loadu_pd(b + i); }
__attribute__((target("avx2"))) inline __m256d four(double b, std::size_t) { return _mm256_set1_pd(b); }

template <Relation R, class Right>
__attribute__((target("avx2"))) void compare_by_four(const double* a, Right b, Word* out, std::size_t n) {
  std::size_t from = 0;
  for (; from + kWordBits <= n; from += kWordBits) {
    Word word = 0;
    for (std::size_t i = 0; i < kWordBits; i += 4) {
      const __m256d answer = _mm256_cmp_pd(_mm256_loadu_pd(a + from + i), four(b, from + i), kPredicate<R>);
      word |= static_cast<Word>(_mm256_movemask_pd(answer)) << i;
    }
    *out++ = word;
  }
  if (from < n) *out = word_of<R>(a, b, from, n - from);
}

#endif

template <Relation R, class Right>
void compare(const double* a, Right b, Word* out, std::size_t n) {
#ifdef SPINNEY_HAS_AVX2_KERNELS
  static const bool by_four = __builtin_cpu_supports("avx2");
  if (by_four) return compare_by_four<R>(a, b, out, n);
#endif
  compare_plainly<R>(a, b, out, n);
}

}  // namespace

void greater(const double* a, const double* b, Word* out, std::size_t n) { compare<Relation::greater>(a, b, out, n); }
void greater(const double* a, double b, Word* out, std::size_t n) { compare<Relation::greater>(a, b, out, n); }
void less(const double* a, double b, Word* out, std::size_t n) { compare<Relation::less>(a, b, out, n); }
void equal(const double* a, const double* b, Word* out, std::size_t n) { compare<Relation::equal>(a, b, out, n); }
void equal(const double* a, double b, Word* out, std::size_t n) { compare<Relation::equal>(a, b, out, n); }
void known(const double* a, const double* b, Word* out, std::size_t n) { compare<Relation::known>(a, b, out, n); }
void known(const double* a, double b, Word* out, std::size_t n) { compare<Relation::known>(a, b, out, n); }

}  // namespace spinney::kernels
