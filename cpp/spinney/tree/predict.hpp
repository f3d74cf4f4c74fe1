#pragma once
// Leaves to answers: class shares or means, labels, leaf numbers.

#include "spinney/interrupt.hpp"
#include "spinney/tree/steps.hpp"

namespace spinney {

/// How much of the machine a prediction may use, and who may stop it.
struct Work {
  std::size_t n_threads = 1;
  Interrupt& interrupt;
};

/// Adds a share of a node's answer: class shares (even ones if the node has no weight), or the mean.
void add_answer(const Tree& tree, NodeId node, double share, double* out);
/// The same for a row: of its leaf, or of all the leaves that shares of it reach. `stack` is scratch memory.
void add_shares(const Tree& tree, const Matrix& x, std::size_t row, std::vector<Share>& stack, double* out);

/// A finished tree with what prediction needs computed once.
class Predictor {
 public:
  explicit Predictor(const Tree& tree);

  /// out: n_rows leaf numbers.
  void apply(const Tree& tree, const Matrix& x, NodeId* out, const Work& work) const;
  /// out: leaf numbers of listed rows.
  void leaves(const Tree& tree, const Matrix& x, std::span<const RowIndex> rows, NodeId* out,
              Interrupt& interrupt) const;
  /// out: n_rows * n_outputs class shares, or means; zeros on entry.
  void values(const Tree& tree, const Matrix& x, double* out, const Work& work) const;
  /// out: n_rows class codes of least expected cost (classification only).
  void labels(const Tree& tree, const Matrix& x, std::int64_t* out, const Work& work) const;
  /// out: for listed rows the class code of least expected cost, or the mean.
  void answers(const Tree& tree, const Matrix& x, std::span<const RowIndex> rows, double* out,
               Interrupt& interrupt) const;

 private:
  template <class RowOf>
  void route(const Tree& tree, const Matrix& x, std::size_t n, const RowOf& row_of, NodeId* leaf) const;
  template <class Run>
  void for_blocks(std::size_t n_rows, const Work& work, Run&& run) const;

  std::vector<RouteNode> nodes_;     // of a tree that has thresholds only, or surrogates
  Steps steps_;                      // of any other
  std::size_t block_rows_;           // few for a deep tree: between blocks Ctrl-C is heard
  std::vector<std::int64_t> label_;  // per node
};

}  // namespace spinney
