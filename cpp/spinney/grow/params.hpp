#pragma once
// Every setting of growth. The Python layer checks what users give; these are what the core works with.

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "spinney/objective/objective.hpp"
#include "spinney/splits/multiway.hpp"
#include "spinney/splits/surrogate.hpp"
#include "spinney/tree/monotone.hpp"
#include "spinney/tree/tree.hpp"
#include "spinney/types.hpp"

namespace spinney {

/// Tests that nodes take instead of the best one, by their place in a tree of such tests; of the rest of that tree
/// nothing is used. Growth goes on below its leaves, unless they are closed.
struct ForcedTests {
  Tree tree;
  std::vector<std::uint8_t> closed;      // by node; empty: none
  std::vector<std::int32_t> gap_branch;  // by node: where a test sends gaps; kNoBranch or empty: where that gains most
  bool forces(NodeId place) const { return place != kNoNode && !tree.is_leaf(place); }
  bool closes(NodeId place) const { return place != kNoNode && !closed.empty() && closed[place] != 0; }
  std::int32_t gaps(NodeId place) const { return gap_branch.empty() ? kNoBranch : gap_branch[place]; }
  NodeId child(NodeId place, std::int32_t branch) const {
    return forces(place) ? tree.first_child[place] + branch : kNoNode;
  }
};

struct GrowParams {
  ObjectiveChoice criterion;
  std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_samples_split = 2;     // rows
  std::int64_t min_samples_leaf = 1;      // rows with a value of the split's column, each side
  double min_weight_fraction_leaf = 0.0;  // of all the weight, each side
  std::int64_t max_leaf_nodes = 0;        // 0: no limit; otherwise the best leaf is divided first
  double min_impurity_decrease = 0.0;     // node's share of the weight times gain
  std::int64_t max_features = 0;          // drawn anew at each node; 0: all
  std::int64_t max_surrogates = 5;
  SurrogateStyle surrogate_style = SurrogateStyle::agreement;
  /// By column: no row that the tree will be asked about lacks it, so that tests of it need no surrogates; empty: none.
  std::vector<std::uint8_t> known;
  MissingRule missing = MissingRule::surrogate;
  std::int64_t max_bins = 0;  // 0: exact search; otherwise histograms
  std::uint64_t seed = 0;
  std::vector<FeatureIndex> features;  // the only columns to ask, ascending; empty: all
  MonotoneSigns monotone;              // by column; empty: no constraint. Numbers or two classes
  /// The columns of a path are all in one of these, each ascending; empty: columns go together as they like.
  std::vector<std::vector<FeatureIndex>> interactions;
  bool random_cuts = false;                             // one cut a column and node, drawn at random
  bool oblique = false;                                 // linear tests over numeric columns, where they are better
  std::int64_t n_best_splits = 1;                       // a node takes one of so many best tests, at random
  std::optional<MultiwayParams> multiway;               // grown by ID3 or C4.5 instead of CART
  std::shared_ptr<const ForcedTests> forced = nullptr;  // exact search of CART only
  /// Whether the rows are sorted by every column beforehand.
  bool sorts() const { return max_bins == 0 && !random_cuts; }
};

/// Rows set aside to say when to stop: growth ends when `patience` divisions in a row did not lower their error.
struct Validation {
  std::vector<RowIndex> rows;
  std::span<const double> weight;  // by row of the table
  std::int64_t patience = 0;
  bool active() const { return !rows.empty(); }
};

}  // namespace spinney
