#pragma once
// Monotone constraints: answers never fall as a column with sign +1 rises, and never rise with sign -1.
//
// An answer is a number, or of two classes the share of the second. A division by a constrained column leaves the
// answers below it on both sides of the middle of its children's; all that is grown below keeps inside these bounds,
// so that the order holds between whole branches. Bounds follow from tests and answers: they are not stored.

#include <array>
#include <vector>

#include "spinney/tree/builder.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

inline std::int32_t sign_of(const MonotoneSigns& signs, FeatureIndex column) {
  return signs.empty() || column < 0 ? 0 : signs[column];
}

/// Of a test. Whether there is a value at all may be asked of any column: that puts no values in an order.
inline std::int32_t sign_of(const MonotoneSigns& signs, FeatureIndex column, double threshold) {
  return threshold == kInfinity ? 0 : sign_of(signs, column);
}

/// The answers that a node, and all below it, may give.
struct AnswerBounds {
  double lower = -kInfinity, upper = kInfinity;
  bool hold(double answer) const { return lower <= answer && answer <= upper; }
  double clip(double answer) const { return answer < lower ? lower : answer > upper ? upper : answer; }
};

/// What a constrained column asks of the answers on both sides of its cut.
struct AnswerOrder {
  std::int32_t sign = 0;
  AnswerBounds bounds = {};
  bool active() const { return sign != 0; }
  bool allows(double left, double right) const {
    return sign * left <= sign * right && bounds.hold(left) && bounds.hold(right);
  }
};

/// The answer that constraints are about, from what a node predicts.
double ordered_answer(std::int32_t n_classes, const double* answer);
inline double ordered_answer(const Tree& tree, NodeId node) {
  return ordered_answer(tree.n_classes, tree.answers(node));
}

/// The bounds of both children of a node whose test has such a sign, if these are their answers.
std::array<AnswerBounds, 2> bounds_below(const AnswerBounds& bounds, std::int32_t sign, double left, double right);

/// The same from what the children know. They answer inside their bounds from now on, and their risk becomes that of
/// such an answer: exactly where nodes answer with a mean or a label; as with medians, the most that it can be; and
/// with exposures as if all rows had that of one. Who has an answer already keeps it. like: a tree of the same
/// objective and costs.
std::array<AnswerBounds, 2> settle_children(NodeStats& left, NodeStats& right, const AnswerBounds& bounds,
                                            std::int32_t sign, const Tree& like);

/// Whether a surrogate keeps the order: on a constrained column it must send rows the way that the answers go.
bool keeps_order(const MonotoneSigns& signs, const Test& test, const Surrogate& surrogate);

/// Clips the answers of all nodes, from the root down, after what they know was counted anew.
void restore_order(Tree& tree);

}  // namespace spinney
