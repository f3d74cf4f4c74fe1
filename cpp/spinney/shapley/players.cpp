#include "spinney/shapley/players.hpp"

#include <algorithm>
#include <bit>

#include "spinney/random.hpp"

namespace spinney {

namespace {

std::uint64_t hash_of(std::span<const Token> tokens) {
  std::uint64_t hash = 0;
  for (const Token& token : tokens) {
    hash = mix_bits(hash + static_cast<std::uint64_t>(token.op));
    hash = mix_bits(hash + static_cast<std::uint64_t>(token.arg));
    hash = mix_bits(hash + std::bit_cast<std::uint64_t>(token.value + 0.0));  // -0.0 equals 0.0
  }
  return hash;
}

}  // namespace

Players::Players(const Tree& tree) : n_columns_(static_cast<std::size_t>(tree.n_features)) {
  of_test_ = players_of(tree.tests);
  of_surrogate_ = players_of(tree.surrogates.tests);
}

std::vector<std::int32_t> Players::players_of(const TestTable& tests) {
  std::vector<std::int32_t> players(tests.size(), kNoPlayer);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (tests.kind[i] == TestKind::leaf) continue;
    players[i] = tests.kind[i] == TestKind::expression ? player_of(tests.tokens(i)) : tests.feature[i];
  }
  return players;
}

std::int32_t Players::player_of(std::span<const Token> tokens) {
  std::vector<FeatureIndex> columns = columns_of(tokens);
  if (columns.empty()) return kNoPlayer;
  if (columns.size() == 1) return columns[0];
  const auto [first, last] = places_.equal_range(hash_of(tokens));
  for (auto it = first; it != last; ++it) {
    if (std::ranges::equal(expressions_[it->second].tokens, tokens))
      return static_cast<std::int32_t>(n_columns_ + it->second);
  }
  places_.emplace(hash_of(tokens), expressions_.size());
  expressions_.push_back({{tokens.begin(), tokens.end()}, std::move(columns)});
  return static_cast<std::int32_t>(n_columns_ + expressions_.size() - 1);
}

Said Players::said(const Tree& tree, NodeId node, const Matrix& x, std::size_t row) const {
  const std::int32_t own = tree.tests.answer(node, x, row);
  if (own != kNoBranch) return {of_test(node), own};
  if (tree.missing == MissingRule::fractional) return {kNoPlayer, kEveryBranch};
  const Lists& lists = tree.surrogates.lists;
  for (std::int64_t place = lists.begin(node), end = lists.end(node); place < end; ++place) {
    const std::int32_t branch = tree.surrogates.answer(static_cast<std::size_t>(place), x, row);
    if (branch != kNoBranch) return {of_surrogate(place), branch};
  }
  return {of_test(node), tree.default_branch[node]};
}

}  // namespace spinney
