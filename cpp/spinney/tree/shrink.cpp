#include "spinney/tree/shrink.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/tree/monotone.hpp"

namespace spinney {

namespace {

/// Class shares, even ones if a node has no weight, or numbers.
std::vector<double> own_answers(const Tree& tree) {
  const std::size_t k = tree.n_outputs();
  std::vector<double> own = tree.answer.empty() ? tree.value : tree.answer;
  for (std::size_t node = 0; tree.n_classes > 0 && node < tree.n_nodes(); ++node) {
    double* const shares = own.data() + node * k;
    const double total = std::accumulate(shares, shares + k, 0.0);
    for (std::size_t c = 0; c < k; ++c) shares[c] = total > 0.0 ? shares[c] / total : 1.0 / static_cast<double>(k);
  }
  return own;
}

/// Clips off what rounding may have added to answers that keep monotone constraints.
void put_in_order(const Tree& tree, std::vector<double>& answers) {
  const std::size_t k = tree.n_outputs();
  std::vector<AnswerBounds> bounds(tree.n_nodes());
  const auto answer = [&](NodeId node) -> double& { return answers[static_cast<std::size_t>(node) * k + k - 1]; };
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const NodeId first = tree.first_child[node];
    if (first == kNoNode) continue;
    for (const NodeId child : {first, first + 1}) answer(child) = bounds[node].clip(answer(child));
    const std::int32_t sign = sign_of(tree.monotone, tree.tests.feature[node]);
    const auto below = bounds_below(bounds[node], sign, answer(first), answer(first + 1));
    for (const NodeId side : {0, 1}) {
      bounds[first + side] = below[side];
      answer(first + side) = below[side].clip(answer(first + side));
    }
  }
  for (std::size_t i = 0; tree.n_classes > 0 && i < answers.size(); i += 2) answers[i] = 1.0 - answers[i + 1];
}

}  // namespace

std::vector<double> shrunk_answers(const Tree& tree, double strength) {
  const std::size_t k = tree.n_outputs();
  const std::vector<double> own = own_answers(tree);
  if (strength == 0.0) return own;
  std::vector<double> out = own;
  for (std::size_t node = 1; node < tree.n_nodes(); ++node) {
    const auto above = static_cast<std::size_t>(tree.parent[node]);
    const double weight = tree.weight(above), factor = weight / (weight + strength);
    for (std::size_t c = 0; c < k; ++c) {
      const double step = (own[node * k + c] - own[above * k + c]) * factor;
      out[node * k + c] = out[above * k + c] + step;
    }
  }
  if (tree.n_classes > 0) {
    for (double& share : out) share = std::clamp(share, 0.0, 1.0);
  }
  if (!tree.monotone.empty()) put_in_order(tree, out);
  return out;
}

Tree shrunk(const Tree& tree, double strength) {
  Tree out = tree;
  out.answer = shrunk_answers(tree, strength);
  return out;
}

Tree unshrunk(const Tree& tree) {
  Tree out = tree;
  out.answer.clear();
  if (tree.monotone.empty()) return out;
  Tree ordered = out;
  restore_order(ordered);  // counts risks anew too, which never followed the shrinkage
  out.answer = std::move(ordered.answer);
  return out;
}

}  // namespace spinney
