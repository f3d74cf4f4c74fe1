#pragma once
// The one tree format: parallel arrays, one entry per node, children contiguous and numbered after their parent.
//
// A *test* asks about one column, or an expression over many, and answers with a *branch*: the offset of a child.
// Tests know no data.

#include <string>
#include <utility>
#include <vector>

#include "spinney/data/matrix.hpp"
#include "spinney/expression/expression.hpp"
#include "spinney/objective/judge.hpp"
#include "spinney/tree/lists.hpp"
#include "spinney/tree/narrow.hpp"
#include "spinney/types.hpp"

namespace spinney {

/// One test by itself, as splitters and builders hand it around.
struct Test {
  TestKind kind = TestKind::leaf;
  FeatureIndex feature = -1;
  double threshold = kNaN;
  std::vector<std::pair<std::int32_t, std::int32_t>> codes;  // (code, branch), ascending
  std::vector<double> cuts;                                  // ascending; branch i takes cuts[i - 1] < x <= cuts[i]
  std::vector<Token> tokens = {};                            // an expression
  /// No test, as at first; lists are touched only if there are any.
  void clear() {
    kind = TestKind::leaf;
    feature = -1;
    threshold = kNaN;
    if (!codes.empty()) codes.clear();
    if (!cuts.empty()) cuts.clear();
    if (!tokens.empty()) tokens.clear();
  }
};

struct Surrogate {
  Test test;
  bool reversed = false;
  double agreement = 0.0, adjusted = 0.0;
};

/// Tests side by side. Subset and multiway tests keep a slice of (code, branch) pairs, sorted by code: the
/// categories that they know. Any other category is as good as missing there. A multiway test of a numeric column
/// keeps a slice of cuts instead.
struct TestTable {
  std::vector<TestKind> kind;
  std::vector<FeatureIndex> feature;  // -1 in a leaf, and in an expression, which may ask many
  std::vector<double> threshold;      // NaN unless kind is threshold
  Lists code_lists;                   // in code and branch
  NarrowNumbers code, branch;
  Lists cut_lists;
  std::vector<double> cut;
  Lists token_lists;
  std::vector<Token> token;

  std::size_t size() const { return kind.size(); }
  void append(const Test& test);
  /// The two halves of it, for who learns of the tests later: a place for a test, and in order of the places the
  /// categories and cuts of each.
  void append_leaf();
  void append_lists(const Test& test);
  /// The lists of the next test end here.
  void close_lists();
  Test get(std::size_t index) const;
  /// The branch for a row, kNoBranch if the value is missing or a category that the node did not hold.
  std::int32_t answer(std::size_t index, const Matrix& x, std::size_t row) const {
    if (kind[index] == TestKind::expression) return branch_of(tokens(index), x, row);
    return answer_value(index, x.at(row, feature[index]));
  }
  std::span<const Token> tokens(std::size_t index) const {
    return {token.data() + token_lists.begin(index), token.data() + token_lists.end(index)};
  }

 private:
  std::int32_t answer_value(std::size_t index, double value) const;
  /// Where a category is in code; below 0 if the test does not know it.
  std::int64_t place_of_code(std::size_t index, std::int32_t wanted) const;
};

/// Stand-ins for a node's test, best first. agreement is the share of weight sent the same way.
struct SurrogateTable {
  TestTable tests;
  std::vector<std::uint8_t> reversed;  // threshold tests: true goes to branch 1
  std::vector<double> agreement, adjusted;
  Lists lists;  // of the nodes

  void append(const Surrogate& surrogate);  // of the node whose list is not closed yet
  void close_node() { lists.close(tests.size()); }
  Surrogate get(std::size_t index) const;
  std::int32_t answer(std::size_t index, const Matrix& x, std::size_t row) const {
    const std::int32_t branch = tests.answer(index, x, row);
    return branch != kNoBranch && reversed[index] ? 1 - branch : branch;
  }
  /// That of the first one of a node's list that can answer; kNoBranch if none can.
  std::int32_t first_answer(std::size_t node, const Matrix& x, std::size_t row) const {
    std::int32_t branch = kNoBranch;
    for (std::int64_t s = lists.begin(node), end = lists.end(node); branch == kNoBranch && s < end; ++s)
      branch = answer(static_cast<std::size_t>(s), x, row);
    return branch;
  }
};

inline constexpr std::int32_t kMostClasses = 65535;      // labels are kept in 16 bits
inline constexpr std::int64_t kMostRows = 0xffffffffLL;  // of a node, in 32 bits

/// By column: +1 if answers may not fall as it rises, -1 if they may not rise, 0 if they may do both. Empty: all 0.
using MonotoneSigns = std::vector<std::int8_t>;

struct Tree {
  std::int32_t n_features = 0;
  std::int32_t n_classes = 0;  // 0: regression
  MissingRule missing = MissingRule::majority;
  std::vector<double> cost;  // n_classes * n_classes, row true, column predicted; empty: 0/1
  std::string objective;     // that judges rows (judge_name); empty: costs of labels, or squared error
  MonotoneSigns monotone;    // constraints that all answers keep

  TestTable tests;
  std::vector<NodeId> first_child;  // kNoNode in a leaf
  NarrowNumbers n_children;
  std::vector<NodeId> parent;    // kNoNode in the root
  NarrowNumbers default_branch;  // where rows go that neither test nor surrogate can place
  SurrogateTable surrogates;

  // The plain arrays, which fields.hpp lists.
  std::vector<std::uint32_t> n_samples;
  std::vector<double> value;   // n_nodes * n_outputs(): class weights, or the mean
  std::vector<double> answer;  // of the same size: what a node predicts, class shares or the number; empty: its value
  std::vector<double> gain;    // of the node's test over the rows that have its value, times weight
  // Left out (empty) where all of them follow from the rest.
  NarrowReals stored_weight, stored_risk;
  std::vector<double> stored_impurity;

  std::size_t n_nodes() const { return first_child.size(); }
  std::size_t n_outputs() const { return n_classes > 0 ? static_cast<std::size_t>(n_classes) : 1; }
  double weight(std::size_t node) const { return stored_weight.empty() ? derived_weight(node) : stored_weight[node]; }
  double impurity(std::size_t node) const {
    return stored_impurity.empty() ? derived_impurity(node) : stored_impurity[node];
  }
  /// Total cost of the node as a leaf that answers by its counts, or by the bound of a monotone constraint; not divided
  /// by the root's weight.
  double risk(std::size_t node) const { return stored_risk.empty() ? derived_risk(node) : stored_risk[node]; }
  /// Of classes the sum of their weights, Gini's impurity and the least cost; in regression the number of rows,
  /// risk / weight, and NaN, as the risk follows from nothing.
  double derived_weight(std::size_t node) const;
  double derived_impurity(std::size_t node) const;
  double derived_risk(std::size_t node) const;
  double derived_answer(std::size_t entry) const { return value[entry]; }
  bool is_leaf(NodeId node) const { return first_child[node] == kNoNode; }
  /// What the rows of a node add up to.
  const double* values(NodeId node) const { return value.data() + static_cast<std::size_t>(node) * n_outputs(); }
  /// What a node predicts: class shares, up to a factor, or the number.
  const double* answers(NodeId node) const {
    return (answer.empty() ? value : answer).data() + static_cast<std::size_t>(node) * n_outputs();
  }

  /// The class of least expected cost for given class weights; ties go to the lowest code.
  ClassCode cheapest(const double* class_weights) const;
  ClassCode label(NodeId node) const { return cheapest(answers(node)); }
  /// Expected cost, in weight, of labelling the given class weights with a class.
  double cost_of_label(const double* class_weights, ClassCode predicted) const;
  double loss(ClassCode truth, ClassCode predicted) const {
    return cost.empty() ? (truth == predicted ? 0.0 : 1.0)
                        : cost[static_cast<std::size_t>(truth) * n_outputs() + predicted];
  }

  /// What judges rows of a target by this tree's objective; both outlive it.
  Judge judge(const Target& target) const {
    return Judge(objective, {.n = n_classes, .cost = cost, .scale = target.class_scale});
  }

  /// What is wrong with the arrays, naming the node; empty if nothing is.
  std::string check() const;
};

/// A number of every node, such as of_nodes(tree, &Tree::risk).
std::vector<double> of_nodes(const Tree& tree, double (Tree::*number)(std::size_t) const);

/// Gini's impurity of k class weights, as growth works it out.
double gini_impurity(const double* weights, double total, std::size_t k);

/// A tree without nodes for the same columns, classes and costs.
Tree empty_like(const Tree& tree);

/// A copy in which the marked nodes are leaves and what stood below them is gone.
Tree collapse(const Tree& tree, const std::vector<std::uint8_t>& make_leaf);

}  // namespace spinney
