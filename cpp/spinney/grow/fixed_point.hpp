#pragma once
// Real numbers as integers: sums of integers are the same in whatever order and in whatever parts they are made.
//
// Terms are first divided by a power of two that none exceeds in magnitude; an integer i then stands for
// i * 2^(power - bits). The bits are chosen from the number of terms so that no sum can leave 62 bits: a term has
// 62 - log2(n_terms) bits below the largest, 42 for a million rows. Whole numbers, and whole numbers of halves,
// quarters ..., are exact as long as those bits hold them.

#include <cmath>
#include <cstdint>

namespace spinney {

/// A sum with 30 bits more below the last one: what one node knows of its rows, where precision costs little.
struct FinePair {
  std::int64_t high = 0, low = 0;
};

struct FixedPoint {
  int bits = 0, power = 0;
  double up = 1.0, down = 1.0;  // 2^bits, 2^(power - bits)

  FixedPoint() = default;
  FixedPoint(std::uint64_t n_terms, int term_power)
      : bits(62 - power_above(static_cast<double>(n_terms))),
        power(term_power),
        up(std::ldexp(1.0, bits)),
        down(std::ldexp(1.0, power - bits)) {}
  /// The least power of two above a magnitude.
  static int power_above(double magnitude) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    return magnitude > 0.0 ? exponent : 0;
  }

  /// The integers of a term that was divided by 2^power.
  std::int64_t of(double term) const { return std::llrint(term * up); }
  FinePair fine(double term) const {
    const double all = term * up, whole = std::nearbyint(all);
    return {static_cast<std::int64_t>(whole), std::llrint((all - whole) * kFine)};
  }
  double value(std::int64_t sum) const {
    const auto number = static_cast<double>(sum);
    return std::isnormal(down) ? number * down : std::ldexp(number, power - bits);
  }

  static constexpr int kFineBits = 30;
  static constexpr double kFine = 1 << kFineBits;
};

/// A number in two doubles, for the few places where a difference of large sums must be right: about 100 bits
/// (Dekker 1971).
struct Twofold {
  double high = 0.0, low = 0.0;

  static Twofold sum(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
  }
  static Twofold product(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
  }
  static Twofold of(std::int64_t i) {
    const auto upper = static_cast<double>(i >> 32);
    return sum(std::ldexp(upper, 32), static_cast<double>(i & 0xffffffff));
  }
  static Twofold of(const FinePair& pair) { return of(pair.high) + of(pair.low).times_power(-FixedPoint::kFineBits); }
  Twofold times_power(int exponent) const { return {std::ldexp(high, exponent), std::ldexp(low, exponent)}; }
  double value() const { return high + low; }
  friend Twofold operator+(const Twofold& a, const Twofold& b) {
    const Twofold s = sum(a.high, b.high);
    return sum(s.high, s.low + a.low + b.low);
  }
  friend Twofold operator-(const Twofold& a, const Twofold& b) { return a + Twofold{-b.high, -b.low}; }
  friend Twofold operator*(const Twofold& a, const Twofold& b) {
    const Twofold p = product(a.high, b.high);
    return sum(p.high, p.low + a.high * b.low + a.low * b.high);
  }
  friend Twofold operator/(const Twofold& a, const Twofold& b) {
    const double first = a.high / b.high;
    const Twofold rest = a - Twofold{first, 0.0} * b;
    return sum(first, rest.value() / b.high);
  }
};

}  // namespace spinney
