#pragma once
// Expressions over all rows of a node: operation by operation in blocks that stay in cache.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "spinney/evolve/kernels.hpp"
#include "spinney/evolve/lines.hpp"
#include "spinney/evolve/truth.hpp"
#include "spinney/expression/expression.hpp"

namespace spinney {

/// The columns of the rows of a node, one after the other, each column contiguous and at the begin of a cache line.
class NodeColumns {
 public:
  /// at(row, column): a number of the table.
  template <class At>
  NodeColumns(std::size_t n_rows, std::size_t n_columns, const At& at)
      : n_rows_(n_rows), stride_(whole_lines(n_rows)), values_(stride_ * n_columns) {
    for (std::size_t c = 0; c < n_columns; ++c) {
      double bound = 0.0;
      double* out = values_.data() + c * stride_;
      for (std::size_t r = 0; r < n_rows; ++r) {
        out[r] = at(r, c);
        bound = std::isnan(out[r]) ? kInfinity : std::max(bound, std::abs(out[r]));
      }
      bound_.push_back(bound);
    }
  }
  std::size_t n_rows() const { return n_rows_; }
  const double* column(std::int32_t c) const { return values_.data() + static_cast<std::size_t>(c) * stride_; }
  /// No number of a column is larger, be it positive or negative; infinite if one is missing.
  double bound(std::int32_t c) const { return bound_[static_cast<std::size_t>(c)]; }

 private:
  std::size_t n_rows_, stride_;
  Lines values_;
  std::vector<double> bound_;
};

/// Functions of the host's, called with whole columns. Truth values are 1, 0 and NaN there.
struct Calls {
  std::vector<Signature> signatures;
  std::function<void(std::int32_t id, const std::vector<const double*>& columns, std::size_t n, double* out)> run;
};

class Evaluator {
 public:
  explicit Evaluator(const Calls* calls = nullptr) : calls_(calls) {}
  void truth(std::span<const Token> tokens, const NodeColumns& columns, Truth& out);
  /// Numbers of an expression that is no test, one a row.
  void numbers(std::span<const Token> tokens, const NodeColumns& columns, double* out);

 private:
  static constexpr std::size_t kBlock = 1024;  // rows; functions of the host's are given all of them

  /// A number for each row of a block. bound: as that of a column.
  struct Numbers {
    kernels::Operand is;
    double bound = kInfinity;
    // It may still wait for `first op second`, until it is known whether that is needed or only compared.
    bool waits = false;
    Op op = Op::add;
    kernels::Operand first, second;
    bool may_miss() const { return !(bound < kInfinity); }
  };
  struct TruthSlot {
    Word *yes, *no;
    bool* complete;  // as in Truth
  };
  void block(std::span<const Token> tokens, const NodeColumns& columns, std::size_t begin, std::size_t n);
  void push(kernels::Operand operand, double bound);
  void arithmetic(Op op, std::size_t n);
  void work_out(std::size_t place, std::size_t n);
  double* free_slot(std::size_t place, std::size_t n);
  void sine(std::size_t place, std::size_t n);
  void compare(Op op, std::size_t n);
  void logic(Op op, std::size_t n);
  void negate(std::size_t n);
  void call(const Token& token, std::size_t n);
  std::size_t block_size(std::span<const Token> tokens, std::size_t n_rows) const;
  double* number_slot(std::size_t place) {
    if (number_memory_[place].size() < block_) number_memory_[place].resize(block_);
    return number_memory_[place].data();
  }
  TruthSlot truth_slot(std::size_t place) {
    const std::size_t n = n_words(block_);
    if (truth_memory_[place].size() < 2 * n) truth_memory_[place].resize(2 * n);
    return {truth_memory_[place].data(), truth_memory_[place].data() + n, &complete_[place]};
  }

  const Calls* calls_;
  std::size_t block_ = kBlock;
  Lines number_memory_[kMaxOperands];
  Bits truth_memory_[kMaxOperands];
  bool complete_[kMaxOperands] = {};
  Numbers numbers_[kMaxOperands];
  std::size_t n_numbers_ = 0, n_truths_ = 0;
};

}  // namespace spinney
