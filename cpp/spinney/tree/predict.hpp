#pragma once
// Leaves to answers: class shares or means, labels, leaf numbers.

#include "spinney/interrupt.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

/// How much of the machine a prediction may use, and who may stop it.
struct Work {
  std::size_t n_threads = 1;
  Interrupt& interrupt;
};

/// A finished tree with what prediction needs computed once.
class Predictor {
 public:
  explicit Predictor(const Tree& tree);

  /// out: n_rows leaf numbers.
  void apply(const Tree& tree, const Matrix& x, NodeId* out, const Work& work) const;
  /// out: n_rows * n_outputs class shares, or means; zeros on entry.
  void values(const Tree& tree, const Matrix& x, double* out, const Work& work) const;
  /// out: n_rows class codes of least expected cost (classification only).
  void labels(const Tree& tree, const Matrix& x, std::int64_t* out, const Work& work) const;
  /// Adds the answers of rows begin .. end - 1 to out (n_outputs a row), times weight: a vote for the label, or the
  /// class shares or the mean.
  void add(const Tree& tree, const Matrix& x, std::size_t begin, std::size_t end, bool vote, double weight,
           double* out) const;

 private:
  template <class Run>
  void for_blocks(std::size_t n_rows, const Work& work, Run&& run) const;
  void add_answer(const Tree& tree, NodeId node, double share, double* out) const;
  /// The leaf's answer, or under the fractional rule the mean over the leaves that shares of the row reach; adds to
  /// out.
  void shares(const Tree& tree, const Matrix& x, std::size_t row, std::vector<Share>& stack, double* out) const;

  Router router_;
  std::size_t block_rows_;           // few for a deep tree: between blocks Ctrl-C is heard
  std::vector<double> total_;        // per node, the sum of its class weights
  std::vector<std::int64_t> label_;  // per node
};

}  // namespace spinney
