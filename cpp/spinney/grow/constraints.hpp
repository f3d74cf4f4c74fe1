#pragma once
// What is handed down from node to node: where a node stands, and what constraints leave to it.

#include <array>
#include <memory>
#include <vector>

#include "spinney/grow/choose.hpp"
#include "spinney/grow/params.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/monotone.hpp"

namespace spinney {

/// Places in GrowParams::interactions of the groups that hold all columns of a path; null: all groups.
using PathGroups = std::shared_ptr<const std::vector<std::size_t>>;

/// Where a node stands in its tree. If growth starts below the root of a larger tree, limits and random streams are
/// those of the larger tree.
struct Origin {
  std::int64_t depth = 0;
  PathKey path = kRootPath;
  double total_weight = 0.0;  // of the larger tree, in the search; 0: of the samples at hand
  AnswerBounds bounds = {};
  PathGroups groups = nullptr;
};

/// Those of some columns that are in one of the groups.
ColumnList columns_of(const GrowParams& params, const PathGroups& groups, ColumnList columns);

/// Those that may stand on a path with the columns above a node and the one that it tests.
ColumnList columns_beside(const GrowParams& params, const Origin& origin, const ColumnList& columns,
                          FeatureIndex tested);

/// Where the children of a node stand, who answer inside their bounds from now on. like: a tree of their objective and
/// costs.
std::array<Origin, 2> origins_below(const GrowParams& params, const Origin& origin, const Test& test, NodeStats& left,
                                    NodeStats& right, const Tree& like);

/// Where the nodes of a tree stand, by node.
std::vector<Origin> origins_of(const Tree& tree, const GrowParams& params);

/// The order that a column must keep in a node. In the search classes may count otherwise than in the answers.
AnswerOrder order_of(const GrowParams& params, const Target& target, const Origin& origin, FeatureIndex column);

}  // namespace spinney
