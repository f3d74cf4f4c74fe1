#pragma once
// A number that others are divided by again and again.

#include <cstdint>

namespace spinney {

/// Finds what a division leaves by a product with the inverse and one correction, which is faster than to divide.
class Divisor {
 public:
  explicit constexpr Divisor(std::uint64_t n) : n_(n), inverse_(~std::uint64_t{0} / n) {}
  constexpr std::uint64_t value() const { return n_; }
  /// number % n
  constexpr std::uint64_t left_of(std::uint64_t number) const {
#ifdef __SIZEOF_INT128__
    // number * inverse / 2^64 falls short of number / n by less than 1.
    __extension__ using Wide = unsigned __int128;
    const auto quotient = static_cast<std::uint64_t>((static_cast<Wide>(number) * inverse_) >> 64);
    const std::uint64_t left = number - quotient * n_;
    return left >= n_ ? left - n_ : left;
#else
    return number % n_;
#endif
  }

 private:
  std::uint64_t n_, inverse_;
};

}  // namespace spinney
