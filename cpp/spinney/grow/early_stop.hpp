#pragma once
// Stopping by a validation share: growth goes on, best leaf first, while the error on rows set aside still falls.

#include <array>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/data/target.hpp"
#include "spinney/grow/params.hpp"
#include "spinney/tree/route.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

class EarlyStop {
 public:
  EarlyStop(const Target& target, const ObjectiveChoice& objective, const Validation* validation)
      : target_(target),
        validation_(validation),
        judge_(judge_name(objective, target.n_classes),
               {.n = target.n_classes, .cost = target.cost, .scale = target.class_scale}) {}

  bool active() const { return validation_ != nullptr && validation_->active(); }
  bool should_stop() const { return active() && steps_since_best_ >= validation_->patience; }
  /// The rows set aside that reach a leaf where growth starts.
  std::vector<RowIndex> rows_at(const Tree* start, NodeId leaf, const Matrix& x) const;
  /// Total cost of answering rows with a node's value.
  double error(std::span<const RowIndex> rows, std::span<const double> value) const;
  /// Sends the rows of a node on to its children, and notes by how much their error fell. values are those of the node
  /// and of its children.
  std::array<std::vector<RowIndex>, 2> divide(NodeId node, std::span<const RowIndex> rows, const Fork& fork,
                                              const Matrix& x, const std::array<std::span<const double>, 3>& values);
  /// The tree as it was when the error was lowest.
  Tree best(Tree tree) const;

 private:
  /// A node was divided: the error of its rows before and after.
  void divided(NodeId node, double before, double after);

  const Target& target_;
  const Validation* validation_;
  Judge judge_;
  double error_ = 0.0, lowest_ = 0.0;  // relative to the start
  double largest_ = 0.0;               // error of one node: what counts as rounding
  std::int64_t steps_since_best_ = 0;
  std::vector<NodeId> divided_;
};

}  // namespace spinney
