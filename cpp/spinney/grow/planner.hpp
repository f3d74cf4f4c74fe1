#pragma once
// The planner grows a tree without seeing rows: it asks for sums over them and decides by what it is told.
//
//   while (!planner.request().empty()) planner.receive(sum of the workers' answers to planner.request());
//
// Without a limit of leaves, nodes are divided a batch at a time, as many as their histograms may take memory;
// otherwise one at a time, the one that gains most first. Of two children the one with fewer rows is counted, and the
// other's histogram is what is left of the parent's. The parent's histogram tells which that will be, so that it is
// asked for together with the division: a level is one round. A node of few rows is handed over and finished by exact
// search. What is asked, in what order and in what batches, changes nothing in the tree.

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "spinney/grow/bin_search.hpp"
#include "spinney/grow/early_stop.hpp"
#include "spinney/grow/frontier.hpp"
#include "spinney/grow/grow.hpp"
#include "spinney/grow/messages.hpp"
#include "spinney/grow/stats.hpp"
#include "spinney/tree/builder.hpp"

namespace spinney {

/// Rows up to which a node is finished by exact search: below, clearing histograms costs more than sorting rows once.
inline constexpr std::int64_t kSmallNode = 2048;

/// What growth goes by.
struct PlannerInput {
  std::span<const Column> columns;
  const Target& target;  // classes, scales and costs; of its rows only those that are set aside
  const GrowParams& params;
  const BinBorders& borders;
  const MomentLayout& moments;
  const Tree* start = nullptr;             // its leaves are divided further
  const Validation* validation = nullptr;  // rows set aside
  Matrix set_aside = {};                   // their values
};

class Planner {
 public:
  /// sums: of the nodes that growth starts from, over all rows.
  Planner(const PlannerInput& input, const NodeSums& sums, ThreadTeam& team, Interrupt& interrupt);

  /// What to ask next; empty when the tree is grown.
  const Request& request() const { return request_; }
  void receive(Answer answer);
  Tree finish() &&;

 private:
  struct Node {
    NodeId id = 0;
    Origin origin;
    ColumnList columns;
    Totals totals;
    Numbers answer;
    std::int64_t n_rows = 0;
    Split split;
    BinSearch::Sides sides;  // what the split sends each way
    Histogram histogram;     // may be dropped to save memory
    std::vector<RowIndex> validation;
    std::vector<Surrogate> surrogates;
    std::shared_ptr<const Tree> subtree;  // grown by exact search; what is below is in it
    NodeId place = 0;                     // of this node in the subtree
  };
  /// A node that waits for its histogram: its own, or what that of the other child leaves of the parent's.
  struct Waiting {
    Node node;
    NodeId counted;
    Histogram parent;
  };

  static Node make_node(NodeId id, const Origin& origin, ColumnList columns, const Summary& summary);
  void open_start(const NodeSums& sums);
  void open(Node node);
  void open_children(std::array<Node, 2> children, const std::array<Summary, 2>& summaries, Histogram histogram);
  bool may_open(const Node& node, const Summary& summary) const;
  bool is_small(const Node& node) const;
  void next();
  void ask_for_rows();
  void choose_batch();
  void ask_for_divisions();
  void ask_ahead(const Node& node, NodeId first);
  void find_surrogates(const std::vector<Histogram>& tallies);
  void divide(const NodeSums& sums);
  std::array<Node, 2> add_children(const Node& node, Division division, std::array<Summary, 2>& summaries);
  /// The way of the rows that no test can place: that of more weight, if the search has not placed them.
  static std::int32_t default_branch(const Node& node) {
    return node.split.default_branch(node.sides.weight[1] > node.sides.weight[0] ? 1 : 0);
  }
  void search();
  void search_node(Node& node, Scratch& scratch, ThreadTeam* team);
  void finish_small(std::vector<RowBlock> blocks);
  Tree grow_small(const Node& node, RowBlock block) const;
  void reveal(Node node);
  bool leaf_limit() const { return params_.max_leaf_nodes > 0 && n_leaves_ >= params_.max_leaf_nodes; }
  std::size_t batch_size() const;

  PlannerInput input_;
  const GrowParams& params_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  BinSearch search_;
  Samples nobody_;  // for the summarizer: what was taken off y
  Summarizer summarizer_;
  Tree like_;  // without nodes
  TreeBuilder builder_;
  EarlyStop stop_;
  Frontier<Node> frontier_;
  std::vector<Scratch> scratch_;
  double total_weight_ = 0.0, unit_weight_ = 0.0;  // unit: of every row in the search, 0 if they differ
  std::int64_t n_leaves_ = 0;
  NodeId n_nodes_ = 0;
  bool root_is_small_ = false;  // and waits for its rows
  Request request_;
  std::vector<Waiting> waiting_;
  std::vector<NodeId> to_count_;                   // the nodes whose histograms they wait for
  std::unordered_map<NodeId, Histogram> counted_;  // those that are there
  std::vector<Node> small_, asked_small_, batch_;
  std::size_t histogram_bytes_ = 0, n_kept_ = 0;
  std::vector<Subtree> subtrees_;
};

}  // namespace spinney
