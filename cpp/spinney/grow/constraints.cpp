#include "spinney/grow/constraints.hpp"

#include <algorithm>

namespace spinney {

namespace {

/// The groups that are left once a column was asked.
PathGroups groups_with(const GrowParams& params, const PathGroups& groups, FeatureIndex column) {
  if (params.interactions.empty()) return nullptr;
  std::vector<std::size_t> left;
  const auto look = [&](std::size_t g) {
    const std::vector<FeatureIndex>& group = params.interactions[g];
    if (std::binary_search(group.begin(), group.end(), column)) left.push_back(g);
  };
  if (groups) {
    for (const std::size_t g : *groups) look(g);
  } else {
    for (std::size_t g = 0; g < params.interactions.size(); ++g) look(g);
  }
  return std::make_shared<const std::vector<std::size_t>>(std::move(left));
}

/// Where one child stands, but for its bounds.
Origin child_of(const GrowParams& params, const Origin& origin, FeatureIndex tested, std::int32_t branch) {
  return {.depth = origin.depth + 1,
          .path = child_path(origin.path, branch),
          .total_weight = origin.total_weight,
          .groups = groups_with(params, origin.groups, tested)};
}

}  // namespace

ColumnList columns_of(const GrowParams& params, const PathGroups& groups, ColumnList columns) {
  if (!groups) return columns;
  std::vector<FeatureIndex> kept;
  for (const FeatureIndex column : *columns) {
    const auto has = [&](std::size_t g) { return std::ranges::binary_search(params.interactions[g], column); };
    if (std::any_of(groups->begin(), groups->end(), has)) kept.push_back(column);
  }
  return std::make_shared<const std::vector<FeatureIndex>>(std::move(kept));
}

ColumnList columns_beside(const GrowParams& params, const Origin& origin, const ColumnList& columns,
                          FeatureIndex tested) {
  return columns_of(params, groups_with(params, origin.groups, tested), columns);
}

std::array<Origin, 2> origins_below(const GrowParams& params, const Origin& origin, const Test& test, NodeStats& left,
                                    NodeStats& right, const Tree& like) {
  std::array<Origin, 2> below = {child_of(params, origin, test.feature, 0), child_of(params, origin, test.feature, 1)};
  if (params.monotone.empty()) return below;
  const std::int32_t sign = sign_of(params.monotone, test.feature, test.threshold);
  const auto bounds = settle_children(left, right, origin.bounds, sign, like);
  for (std::size_t b = 0; b < 2; ++b) below[b].bounds = bounds[b];
  return below;
}

std::vector<Origin> origins_of(const Tree& tree, const GrowParams& params) {
  std::vector<Origin> origin(tree.n_nodes());
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
    const NodeId first = tree.first_child[node];
    if (first == kNoNode) continue;
    const FeatureIndex tested = tree.tests.feature[node];
    for (std::int32_t b = 0; b < tree.n_children[node]; ++b)
      origin[first + b] = child_of(params, origin[node], tested, b);
    if (params.monotone.empty()) continue;
    const std::int32_t sign = sign_of(params.monotone, tested, tree.tests.threshold[node]);
    const auto bounds =
        bounds_below(origin[node].bounds, sign, ordered_answer(tree, first), ordered_answer(tree, first + 1));
    for (NodeId b = 0; b < 2; ++b) origin[first + b].bounds = bounds[b];
  }
  return origin;
}

AnswerOrder order_of(const GrowParams& params, const Target& target, const Origin& origin, FeatureIndex column) {
  AnswerOrder order{sign_of(params.monotone, column), origin.bounds};
  if (!order.active() || target.split_scale.empty()) return order;
  const auto scale = [&](const std::vector<double>& scales, std::size_t c) { return scales.empty() ? 1.0 : scales[c]; };
  const double odds = scale(target.split_scale, 1) / scale(target.class_scale, 1) * scale(target.class_scale, 0) /
                      scale(target.split_scale, 0);
  const auto in_search = [&](double share) { return share * odds / (share * odds + (1.0 - share)); };
  if (order.bounds.lower > 0.0) order.bounds.lower = in_search(order.bounds.lower);
  if (order.bounds.upper < 1.0) order.bounds.upper = in_search(order.bounds.upper);
  return order;
}

}  // namespace spinney
