#pragma once
// Who is credited for what a tree answers: the *players*. Every column is one, and so is every expression over several
// columns, as if it were a column of its own; its credit is divided evenly among the columns that it asks.
//
// At each node one player *speaks* for a row: the one of the node's test if it can place the row, or else that of the
// first surrogate that can. If none can, the row goes by the default branch, and the gap itself is what the player of
// the test says. Under the fractional rule nobody speaks for a gap: the row goes every way.

#include <span>
#include <unordered_map>
#include <vector>

#include "spinney/tree/tree.hpp"

namespace spinney {

inline constexpr std::int32_t kNoPlayer = -1;
inline constexpr std::int32_t kEveryBranch = -2;

/// What is said for a row at a node.
struct Said {
  std::int32_t player;  // kNoPlayer where a row is divided, and for an expression without columns
  std::int32_t branch;  // or kEveryBranch
};

class Players {
 public:
  explicit Players(const Tree& tree);

  std::size_t size() const { return n_columns_ + expressions_.size(); }
  std::int32_t of_test(NodeId node) const { return of_test_[static_cast<std::size_t>(node)]; }
  std::int32_t of_surrogate(std::int64_t place) const { return of_surrogate_[static_cast<std::size_t>(place)]; }
  bool is_column(std::int32_t player) const { return static_cast<std::size_t>(player) < n_columns_; }
  /// Calls use(column, share) for the columns among which the credit of a player is divided.
  template <class Use>
  void for_columns(std::int32_t player, const Use& use) const {
    if (is_column(player)) return use(player, 1.0);
    const auto& columns = expressions_[static_cast<std::size_t>(player) - n_columns_].columns;
    for (const FeatureIndex column : columns) use(column, 1.0 / static_cast<double>(columns.size()));
  }
  Said said(const Tree& tree, NodeId node, const Matrix& x, std::size_t row) const;

 private:
  struct Expression {
    std::vector<Token> tokens;
    std::vector<FeatureIndex> columns;
  };
  std::vector<std::int32_t> players_of(const TestTable& tests);
  std::int32_t player_of(std::span<const Token> tokens);

  std::size_t n_columns_;
  std::vector<Expression> expressions_;                         // all different
  std::unordered_multimap<std::uint64_t, std::size_t> places_;  // of expressions, by their hash
  std::vector<std::int32_t> of_test_, of_surrogate_;
};

}  // namespace spinney
