#include "spinney/tree/monotone.hpp"

#include <algorithm>
#include <numeric>

namespace spinney {

double ordered_answer(std::int32_t n_classes, const double* answer) {
  return n_classes == 0 ? answer[0] : answer[1] / (answer[0] + answer[1]);
}

std::array<AnswerBounds, 2> bounds_below(const AnswerBounds& bounds, std::int32_t sign, double left, double right) {
  std::array<AnswerBounds, 2> below = {bounds, bounds};
  if (sign == 0) return below;
  const double middle = bounds.clip(std::midpoint(left, right));
  below[sign > 0 ? 0 : 1].upper = middle;
  below[sign > 0 ? 1 : 0].lower = middle;
  return below;
}

namespace {

/// What answering with a number instead of the mean costs, in a weight of 1.
double cost_of_shift(const Tree& like, double answer, double mean) {
  return Judge(like.objective, {}).cost(answer, {.y = mean});
}

void clip_answer(NodeStats& stats, const AnswerBounds& bounds, const Tree& like) {
  const double own = ordered_answer(like.n_classes, stats.value.data());
  if (bounds.hold(own) || !stats.answer.empty()) return;
  const double clipped = bounds.clip(own);
  if (like.n_classes == 0) {
    stats.answer = {clipped};
    stats.risk += stats.weight * cost_of_shift(like, clipped, own);
  } else {
    stats.answer = {1.0 - clipped, clipped};  // these add up to 1 exactly, whatever is rounded
    stats.risk = like.cost_of_label(stats.value.data(), like.cheapest(stats.answer.data()));
  }
}

/// What a node of a tree knows, as if it had never been clipped.
NodeStats unclipped(const Tree& tree, NodeId node) {
  NodeStats stats = stats_of(tree, node);
  if (!stats.answer.empty() && stats.answer != stats.value) {
    stats.risk = tree.n_classes == 0 ? stats.risk - stats.weight * cost_of_shift(tree, stats.answer[0], stats.value[0])
                                     : tree.cost_of_label(stats.value.data(), tree.cheapest(stats.value.data()));
  }
  stats.answer.clear();
  return stats;
}

}  // namespace

std::array<AnswerBounds, 2> settle_children(NodeStats& left, NodeStats& right, const AnswerBounds& bounds,
                                            std::int32_t sign, const Tree& like) {
  const auto answer = [&](const NodeStats& s) {
    return bounds.clip(ordered_answer(like.n_classes, s.predicted().data()));
  };
  const auto below = bounds_below(bounds, sign, answer(left), answer(right));
  clip_answer(left, below[0], like);
  clip_answer(right, below[1], like);
  return below;
}

bool keeps_order(const MonotoneSigns& signs, const Test& test, const Surrogate& surrogate) {
  const std::int32_t sign = sign_of(signs, surrogate.test.feature);
  return sign == 0 || sign_of(signs, test.feature) == (surrogate.reversed ? -sign : sign);
}

void restore_order(Tree& tree) {
  if (tree.monotone.empty()) return;
  std::vector<AnswerBounds> bounds(tree.n_nodes());
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const NodeId first = tree.first_child[node];
    if (first == kNoNode) continue;
    NodeStats left = unclipped(tree, first), right = unclipped(tree, first + 1);
    const std::int32_t sign = sign_of(tree.monotone, tree.tests.feature[node], tree.tests.threshold[node]);
    const auto below = settle_children(left, right, bounds[node], sign, tree);
    std::copy(below.begin(), below.end(), bounds.begin() + first);
    set_stats(tree, first, left);
    set_stats(tree, first + 1, right);
  }
}

}  // namespace spinney
