#include "spinney/evolve/kernels.hpp"

#include <algorithm>

#include "spinney/multiversion.hpp"

#ifdef SPINNEY_HAS_VERSIONS
#include <immintrin.h>
#endif

namespace spinney::kernels {

// -- Numbers: the compiler vectorises these

namespace {

SPINNEY_THREE_VERSIONS(void, add, (const double* a, const double* b, double* out, std::size_t n), (a, b, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
SPINNEY_THREE_VERSIONS(void, add, (const double* a, double b, double* out, std::size_t n), (a, b, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b;
}
SPINNEY_THREE_VERSIONS(void, subtract, (const double* a, const double* b, double* out, std::size_t n), (a, b, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - b[i];
}
SPINNEY_THREE_VERSIONS(void, subtract, (const double* a, double b, double* out, std::size_t n), (a, b, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - b;
}
SPINNEY_THREE_VERSIONS(void, subtract, (double a, const double* b, double* out, std::size_t n), (a, b, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a - b[i];
}
SPINNEY_THREE_VERSIONS(void, multiply, (const double* a, const double* b, double* out, std::size_t n), (a, b, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
SPINNEY_THREE_VERSIONS(void, multiply, (const double* a, double b, double* out, std::size_t n), (a, b, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b;
}

SPINNEY_THREE_VERSIONS(void, near_sines, (const double* a, double* out, std::size_t n), (a, out, n)) {
  for (std::size_t i = 0; i < n; ++i) out[i] = near_sine(a[i]);
}
SPINNEY_THREE_VERSIONS(bool, all_near, (const double* a, std::size_t n), (a, n)) {
  int far = 0;
  for (std::size_t i = 0; i < n; ++i) far |= !(std::abs(a[i]) < kFarSine);
  return far == 0;
}

}  // namespace

void arithmetic(Op op, Operand a, Operand b, double* out, std::size_t n) {
  if (op != Op::subtract && !a.data) std::swap(a, b);
  if (op == Op::add) {
    b.data ? add(a.data, b.data, out, n) : add(a.data, b.scalar, out, n);
  } else if (op == Op::multiply) {
    b.data ? multiply(a.data, b.data, out, n) : multiply(a.data, b.scalar, out, n);
  } else if (!a.data) {
    subtract(a.scalar, b.data, out, n);
  } else {
    b.data ? subtract(a.data, b.data, out, n) : subtract(a.data, b.scalar, out, n);
  }
}

void sine(const double* a, double* out, std::size_t n, bool near) {
  if (near || all_near(a, n)) return near_sines(a, out, n);
  for (std::size_t i = 0; i < n; ++i) out[i] = spinney::sine(a[i]);
}

// -- Comparisons: no compiler makes bits of them, so the instruction that does is named

namespace {

/// What an operation makes of two operands.
template <Op O, class A, class B>
struct Result {
  A a;
  B b;
};

template <Relation R>
bool holds(double a, double b) {
  if constexpr (R == Relation::greater) return a > b;
  if constexpr (R == Relation::less) return a < b;
  if constexpr (R == Relation::equal) return a == b;
  return a == a && b == b;
}

double one(const double* a, std::size_t i) { return a[i]; }
double one(double a, std::size_t) { return a; }
template <Op O, class A, class B>
double one(const Result<O, A, B>& of, std::size_t i) {
  const double a = one(of.a, i), b = one(of.b, i);
  return O == Op::add ? a + b : O == Op::subtract ? a - b : a * b;
}

template <Relation R, class A, class B>
Word word_of(A a, B b, std::size_t from, std::size_t n) {
  Word word = 0;
  for (std::size_t i = 0; i < n; ++i) word |= static_cast<Word>(holds<R>(one(a, from + i), one(b, from + i))) << i;
  return word;
}

template <Relation R, class A, class B>
void compare_plainly(A a, B b, Word* out, std::size_t n) {
  for (std::size_t from = 0; from < n; from += kWordBits)
    *out++ = word_of<R>(a, b, from, std::min(kWordBits, n - from));
}

#ifdef SPINNEY_HAS_VERSIONS

template <Relation R>
inline constexpr int kPredicate = R == Relation::greater ? _CMP_GT_OQ
                                  : R == Relation::less  ? _CMP_LT_OQ
                                  : R == Relation::equal ? _CMP_EQ_OQ
                                                         : _CMP_ORD_Q;

__attribute__((target("avx2"))) inline __m256d four(const double* a, std::size_t i) { return _mm256_loadu_pd(a + i); }
__attribute__((target("avx2"))) inline __m256d four(double a, std::size_t) { return _mm256_set1_pd(a); }
template <Op O, class A, class B>
__attribute__((target("avx2"))) inline __m256d four(const Result<O, A, B>& of, std::size_t i) {
  const __m256d a = four(of.a, i), b = four(of.b, i);
  if constexpr (O == Op::add) return _mm256_add_pd(a, b);
  if constexpr (O == Op::subtract) return _mm256_sub_pd(a, b);
  return _mm256_mul_pd(a, b);
}

template <Relation R, class A, class B>
__attribute__((target("avx2"))) void compare_by_four(A a, B b, Word* out, std::size_t n) {
  std::size_t from = 0;
  for (; from + kWordBits <= n; from += kWordBits) {
    Word word = 0;
    for (std::size_t i = 0; i < kWordBits; i += 4) {
      const __m256d answer = _mm256_cmp_pd(four(a, from + i), four(b, from + i), kPredicate<R>);
      word |= static_cast<Word>(_mm256_movemask_pd(answer)) << i;
    }
    *out++ = word;
  }
  if (from < n) *out = word_of<R>(a, b, from, n - from);
}

using Eight = __mmask8;  // which of eight rows there are

SPINNEY_WIDE inline __m512d eight(const double* a, std::size_t i, Eight rows) {
  return _mm512_maskz_loadu_pd(rows, a + i);
}
SPINNEY_WIDE inline __m512d eight(double a, std::size_t, Eight) { return _mm512_set1_pd(a); }
template <Op O, class A, class B>
SPINNEY_WIDE inline __m512d eight(const Result<O, A, B>& of, std::size_t i, Eight rows) {
  const __m512d a = eight(of.a, i, rows), b = eight(of.b, i, rows);
  if constexpr (O == Op::add) return _mm512_add_pd(a, b);
  if constexpr (O == Op::subtract) return _mm512_sub_pd(a, b);
  return _mm512_mul_pd(a, b);
}

/// The bits of the n rows that follow, at most a word of them.
template <Relation R, class A, class B>
[[gnu::always_inline]] SPINNEY_WIDE inline Word word_by_eight(const A& a, const B& b, std::size_t from, std::size_t n) {
  Word word = 0;
  for (std::size_t i = 0; i < n; i += 8) {
    const auto rows = static_cast<Eight>(n - i >= 8 ? 0xff : (1U << (n - i)) - 1U);
    const Eight answer =
        _mm512_mask_cmp_pd_mask(rows, eight(a, from + i, rows), eight(b, from + i, rows), kPredicate<R>);
    word |= static_cast<Word>(answer) << i;
  }
  return word;
}

template <Relation R, class A, class B>
SPINNEY_WIDE void compare_by_eight(A a, B b, Word* out, std::size_t n) {
  std::size_t from = 0;
  for (; from + kWordBits <= n; from += kWordBits) *out++ = word_by_eight<R>(a, b, from, kWordBits);
  if (from < n) *out = word_by_eight<R>(a, b, from, n - from);
}

#endif

template <Relation R, class A, class B>
void compare_all(A a, B b, Word* out, std::size_t n) {
#ifdef SPINNEY_HAS_VERSIONS
  if (kInstructions.avx512) return compare_by_eight<R>(a, b, out, n);
  if (kInstructions.avx2) return compare_by_four<R>(a, b, out, n);
#endif
  compare_plainly<R>(a, b, out, n);
}

/// Calls f with the array, or with the number.
template <class Function>
void with(Operand operand, const Function& f) {
  operand.data ? f(operand.data) : f(operand.scalar);
}

template <class A, class B>
void compare_with(A a, bool greater, const B& b, Word* out, std::size_t n) {
  greater ? compare_all<Relation::greater>(a, b, out, n) : compare_all<Relation::less>(a, b, out, n);
}

}  // namespace

void compare(Operand left, Relation relation, Operand right, Word* out, std::size_t n) {
  with(left, [&](auto a) {
    with(right, [&](auto b) {
      switch (relation) {
        case Relation::equal: return compare_all<Relation::equal>(a, b, out, n);
        case Relation::known: return compare_all<Relation::known>(a, b, out, n);
        default: compare_with(a, relation == Relation::greater, b, out, n);
      }
    });
  });
}

void compare(Operand left, bool greater, Op op, Operand first, Operand second, Word* out, std::size_t n) {
  with(left, [&](auto a) {
    with(first, [&](auto b) {
      with(second, [&](auto c) {
        using B = decltype(b);
        using C = decltype(c);
        switch (op) {
          case Op::add: return compare_with(a, greater, Result<Op::add, B, C>{b, c}, out, n);
          case Op::subtract: return compare_with(a, greater, Result<Op::subtract, B, C>{b, c}, out, n);
          default: compare_with(a, greater, Result<Op::multiply, B, C>{b, c}, out, n);
        }
      });
    });
  });
}

}  // namespace spinney::kernels
