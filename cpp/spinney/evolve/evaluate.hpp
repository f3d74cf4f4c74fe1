#pragma once
// Expressions over all rows of a node: operation by operation in blocks that stay in cache.
//
// A truth value is a byte: bit 0 is set where it is known to be true, bit 1 where it is known to be false. `and` and
// `or` are then bit operations, and what is true of each class is a sum of bytes.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "spinney/expression/expression.hpp"

namespace spinney {

/// The columns of the rows of a node, one after the other, each column contiguous.
struct NodeColumns {
  std::size_t n_rows = 0;
  std::vector<double> values;  // n_columns * n_rows
  const double* column(std::int32_t c) const { return values.data() + static_cast<std::size_t>(c) * n_rows; }
};

inline constexpr std::uint8_t kTrueBit = 1, kFalseBit = 2;

/// Functions of the host's, called with whole columns. Truth values are 1, 0 and NaN there.
struct Calls {
  struct Signature {
    std::vector<std::uint8_t> takes_truth;  // by operand
    bool gives_truth = false;
  };
  std::vector<Signature> signatures;
  std::function<void(std::int32_t id, const std::vector<const double*>& columns, std::size_t n, double* out)> run;
};

class Evaluator {
 public:
  explicit Evaluator(const Calls* calls = nullptr) : calls_(calls) {}
  /// One byte a row.
  void truth(std::span<const Token> tokens, const NodeColumns& columns, std::uint8_t* out);
  /// Numbers of an expression that is no test, one a row.
  void numbers(std::span<const Token> tokens, const NodeColumns& columns, double* out);

 private:
  static constexpr std::size_t kBlock = 512;  // rows; functions of the host's are given all of them

  /// A number for each row of a block, or one for all of them.
  struct Numbers {
    const double* data = nullptr;
    double scalar = 0.0;
  };
  void block(std::span<const Token> tokens, const NodeColumns& columns, std::size_t begin, std::size_t n);
  void arithmetic(Op op, std::size_t n);
  void compare(Op op, std::size_t n);
  void logic(Op op, std::size_t n);
  void call(const Token& token, std::size_t n);
  std::size_t block_size(std::span<const Token> tokens, std::size_t n_rows) const;
  double* number_slot(std::size_t place) {
    if (number_memory_[place].size() < block_) number_memory_[place].resize(block_);
    return number_memory_[place].data();
  }
  std::uint8_t* truth_slot(std::size_t place) {
    if (truth_memory_[place].size() < block_) truth_memory_[place].resize(block_);
    return truth_memory_[place].data();
  }

  const Calls* calls_;
  std::size_t block_ = kBlock;
  std::vector<double> number_memory_[kMaxOperands];
  std::vector<std::uint8_t> truth_memory_[kMaxOperands];
  Numbers numbers_[kMaxOperands];
  std::size_t n_numbers_ = 0, n_truths_ = 0;
};

}  // namespace spinney
