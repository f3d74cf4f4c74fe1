#pragma once
// An expression over the columns of a row, as a list of tokens in postfix order: operands first, then what is done
// with them. Values are numbers (for categories their codes) or truth values; a missing value is NaN, a truth value
// that depends on one is unknown, unless the other operand of `and` or `or` decides alone.
//
//   income - 3 * debt > 0 and sex = "f"
//   [income] [3] [debt] [multiply] [subtract] [positive] [sex] [code of f] [equal] [both]

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/types.hpp"

namespace spinney {

enum class Op : std::int32_t {
  column,    // arg: which
  constant,  // value
  add,
  subtract,
  multiply,
  sine,
  equal,
  greater,
  positive,  // > 0
  both,      // and
  either,    // or
  negate,    // not
  call,      // arg: a function of the host's, value: its operands; only while expressions are sought
};
inline constexpr std::int32_t kOps = 12;  // that trees may have

struct Token {
  Op op = Op::constant;
  std::int32_t arg = 0;
  double value = 0.0;
  bool operator==(const Token&) const = default;
};

/// How many operands an operation takes.
constexpr int arity(Op op) {
  switch (op) {
    case Op::column:
    case Op::constant: return 0;
    case Op::sine:
    case Op::positive:
    case Op::negate: return 1;
    default: return 2;
  }
}
inline std::size_t n_operands(const Token& token) {
  return token.op == Op::call ? static_cast<std::size_t>(token.value) : static_cast<std::size_t>(arity(token.op));
}
constexpr bool gives_truth(Op op) { return op >= Op::equal; }
constexpr bool takes_truth(Op op) { return op >= Op::both; }

inline constexpr std::size_t kMaxOperands = 64;  // that wait at the same time

inline constexpr double kFarSine = 1e6;

/// The sine of a number below kFarSine, by a polynomial: the same bits one at a time and in a vectorised loop.
inline double near_sine(double x) {
  constexpr double kInversePi = 0x1.45f306dc9c883p-2;
  constexpr double kPi1 = 0x1.921fb54400000p1, kPi2 = 0x1.0b4611a600000p-33, kPi3 = 0x1.3198a2e037073p-68;
  constexpr double kShift = 0x1.8p52;  // rounds to a whole number, whose last bit tells odd from even
  const double shifted = x * kInversePi + kShift, n = shifted - kShift;
  const double r = ((x - n * kPi1) - n * kPi2) - n * kPi3, s = r * r;
  double p = 0x1.71b8ef6dcf572p-66;  // 1/21!, -1/19! and so on: |r| is at most pi / 2
  p = p * s - 0x1.2f49b46814157p-57;
  p = p * s + 0x1.952c77030ad4ap-49;
  p = p * s - 0x1.ae7f3e733b81fp-41;
  p = p * s + 0x1.6124613a86d09p-33;
  p = p * s - 0x1.ae64567f544e4p-26;
  p = p * s + 0x1.71de3a556c734p-19;
  p = p * s - 0x1.a01a01a01a01ap-13;
  p = p * s + 0x1.1111111111111p-7;
  p = p * s - 0x1.5555555555555p-3;
  const double y = r + r * s * p;
  const std::uint64_t odd = std::bit_cast<std::uint64_t>(shifted) << 63;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(y) ^ odd);
}
inline double sine(double x) { return std::abs(x) < kFarSine ? near_sine(x) : std::sin(x); }

/// 1 for true, 0 for false, NaN for unknown.
double evaluate(std::span<const Token> tokens, const Matrix& x, std::size_t row);
/// The branch of a test: 0 where it is true, 1 where it is false, kNoBranch where nobody knows.
inline std::int32_t branch_of(std::span<const Token> tokens, const Matrix& x, std::size_t row) {
  const double truth = evaluate(tokens, x, row);
  return truth == truth ? (truth > 0.0 ? 0 : 1) : kNoBranch;
}

/// What a function of the host's takes and gives.
struct Signature {
  std::vector<std::uint8_t> takes_truth;  // by operand
  bool gives_truth = false;
};

/// What is wrong with an expression that shall be a test of so many columns; empty if nothing is. It may call those
/// functions of the host's that are given.
std::string check_expression(std::span<const Token> tokens, std::int32_t n_features,
                             std::span<const Signature> calls = {});

/// The columns that it asks, ascending, each once.
std::vector<FeatureIndex> columns_of(std::span<const Token> tokens);

}  // namespace spinney
