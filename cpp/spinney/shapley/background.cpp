// Shapley values by background: for a row and a row of the background, all ways that a mix of the two can go.
//
// A player on which both rows say the same decides nothing. Where they differ, the walk goes on twice: once with the
// player in the coalition, which speaks as the row does, and once with it out, which speaks as the background row does;
// from there on it is settled for the path. A leaf that is reached with u players in and v players out is the answer of
// every coalition that has those u and not those v, so that each of the u gets (u - 1)! v! / (u + v)! of its value, and
// each of the v loses u! (v - 1)! / (u + v)! of it. A gap is a value like others: who is missing passes the word to the
// next surrogate of the mix.

#include <algorithm>

#include "spinney/parallel.hpp"
#include "spinney/shapley/shapley.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr std::size_t kPairsAtOnce = 64;  // rows of the background between two looks at the interrupt

/// (a - 1)! (b - 1)! / (a + b - 1)!, Euler's beta function, for a and b from 1 to n.
class Betas {
 public:
  explicit Betas(std::size_t n) : n_(n + 1), beta_(n_ * n_, 0.0) {
    for (std::size_t b = 1; b < n_; ++b) beta_[n_ + b] = 1.0 / static_cast<double>(b);
    for (std::size_t a = 1; a + 1 < n_; ++a)
      for (std::size_t b = 1; b < n_; ++b)
        beta_[(a + 1) * n_ + b] = beta_[a * n_ + b] * static_cast<double>(a) / static_cast<double>(a + b);
  }
  double at(std::size_t a, std::size_t b) const { return beta_[a * n_ + b]; }

 private:
  std::size_t n_;
  std::vector<double> beta_;
};

enum class Side : std::uint8_t { open, in, out };

struct Settled {
  std::int32_t player;
  Side side;
};

/// A way that waits: where it goes on, and who is settled for it.
struct Way {
  NodeId node;
  std::int32_t test;  // 0 for the node's own, then its surrogates
  double weight;
  std::size_t n_settled;
  Settled next;  // player kNoPlayer: nobody else
};

/// The mixes of one row with others. Memory is kept from one to the next.
class Mixer {
 public:
  Mixer(const PathTree& tree, const Matrix& x, const Matrix& background, const Betas& betas, ShapleySums& sums)
      : tree_(tree), x_(x), background_(background), betas_(betas), sums_(sums) {
    side_.assign(tree.players().size(), Side::open);
  }

  void run(std::size_t row, std::size_t other, double weight) {
    row_ = row;
    other_ = other;
    waiting_.assign(1, {0, 0, weight, 0, {kNoPlayer, Side::open}});
    while (!waiting_.empty()) {
      Way way = waiting_.back();
      waiting_.pop_back();
      for (; settled_.size() > way.n_settled; settled_.pop_back()) side_[settled_.back().player] = Side::open;
      if (way.next.player != kNoPlayer) settle(way.next);
      follow(way);
    }
    for (const Settled& one : settled_) side_[one.player] = Side::open;
    settled_.clear();
  }

 private:
  void settle(const Settled& one) {
    settled_.push_back(one);
    side_[one.player] = one.side;
  }

  std::int32_t branch_of(const Way& way, const Matrix& rows, std::size_t row) const {
    const Tree& tree = tree_.tree();
    if (way.test == 0) return tree.tests.answer(way.node, rows, row);
    return tree.surrogates.answer(surrogate(way), rows, row);
  }
  std::size_t surrogate(const Way& way) const {
    return static_cast<std::size_t>(tree_.tree().surrogates.lists.begin(way.node) + way.test - 1);
  }
  std::int32_t player_of(const Way& way) const {
    const Players& players = tree_.players();
    return way.test == 0 ? players.of_test(way.node) : players.of_surrogate(static_cast<std::int64_t>(surrogate(way)));
  }

  /// Goes down to a leaf, and leaves behind what branches off.
  void follow(Way way) {
    const Tree& tree = tree_.tree();
    while (!tree.is_leaf(way.node)) {
      const std::int32_t player = player_of(way);
      const Side side = player == kNoPlayer ? Side::in : side_[player];
      const std::int32_t own = side == Side::out ? kNoBranch : branch_of(way, x_, row_);
      const std::int32_t others = side == Side::in ? kNoBranch : branch_of(way, background_, other_);
      std::int32_t branch = side == Side::out ? others : own;
      if (side == Side::open && own != others) {
        waiting_.push_back(way);
        waiting_.back().n_settled = settled_.size();
        waiting_.back().next = {player, Side::out};
        settle({player, Side::in});
      }
      if (!step(way, branch)) return;
    }
    credit(tree_.values(way.node), way.weight);
  }

  /// Goes to a child, or to the next surrogate; false if the way ends, as other ways go on.
  bool step(Way& way, std::int32_t branch) {
    const Tree& tree = tree_.tree();
    if (branch == kNoBranch && tree.missing == MissingRule::fractional) {
      note_divided(row_, sums_);
      const NodeId first = tree.first_child[way.node];
      for (NodeId child = first + tree.n_children[way.node]; child-- > first;) {
        const double share = tree_.share(child);
        if (share > 0.0) waiting_.push_back({child, 0, way.weight * share, settled_.size(), {kNoPlayer, Side::open}});
      }
      return false;
    }
    if (branch == kNoBranch && way.test < tree.surrogates.lists.length(way.node)) {
      ++way.test;
      return true;
    }
    way.node = tree.first_child[way.node] + (branch == kNoBranch ? tree.default_branch[way.node] : branch);
    way.test = 0;
    return true;
  }

  void credit(const double* values, double weight) {
    if (settled_.empty()) return;
    const std::size_t k = tree_.n_outputs();
    const auto is_in = [](const Settled& one) { return one.side == Side::in; };
    const auto u = static_cast<std::size_t>(std::count_if(settled_.begin(), settled_.end(), is_in));
    const std::size_t v = settled_.size() - u;
    const double gain = u > 0 ? weight * betas_.at(u, v + 1) : 0.0;
    const double loss = v > 0 ? weight * betas_.at(u + 1, v) : 0.0;
    double* const row = sums_.values.data() + row_ * x_.n_columns * k;
    for (const Settled& one : settled_) {
      const double factor = is_in(one) ? gain : -loss;
      add_credit(tree_.players(), one.player, [&](std::size_t c) { return factor * values[c]; }, k, row);
    }
    if (!sums_.interactions.empty()) credit_pairs(values, weight, u, v);
  }

  void credit_pairs(const double* values, double weight, std::size_t u, std::size_t v) {
    const std::size_t k = tree_.n_outputs(), n = x_.n_columns;
    double* const row = sums_.interactions.data() + row_ * n * n * k;
    for (std::size_t i = 1; i < settled_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool in = settled_[i].side == Side::in, other_in = settled_[j].side == Side::in;
        const double beta = in != other_in ? -betas_.at(u, v) : in ? betas_.at(u - 1, v + 1) : betas_.at(u + 1, v - 1);
        const auto half = [&](std::size_t c) { return 0.5 * weight * beta * values[c]; };
        add_pair(tree_.players(), settled_[i].player, settled_[j].player, half, k, n, row);
      }
    }
  }

  const PathTree& tree_;
  const Matrix& x_;
  const Matrix& background_;
  const Betas& betas_;
  ShapleySums& sums_;
  std::size_t row_ = 0, other_ = 0;
  std::vector<Way> waiting_;
  std::vector<Settled> settled_;  // on the present way
  std::vector<Side> side_;        // by player
};

std::size_t most_surrogates(const Tree& tree) {
  std::int64_t most = 0;
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) most = std::max(most, tree.surrogates.lists.length(node));
  return static_cast<std::size_t>(most);
}

/// The mean answer for the background.
void add_mean(const PathTree& tree, const Matrix& background, ShapleySums& sums, Interrupt& interrupt) {
  std::vector<Share> stack;
  const double weight = 1.0 / static_cast<double>(background.n_rows);
  for (std::size_t row = 0; row < background.n_rows; ++row) {
    if (row % kPairsAtOnce == 0) interrupt.check();
    visit_path(tree.tree(), background, row, stack, [&](NodeId node, double share) {
      if (!tree.tree().is_leaf(node)) return;
      const double* const values = tree.values(node);
      for (std::size_t c = 0; c < tree.n_outputs(); ++c) sums.expected[c] += weight * share * values[c];
    });
  }
}

}  // namespace

void add_by_background(const PathTree& tree, const Matrix& x, const Matrix& background, ShapleySums& sums,
                       const Work& work) {
  add_mean(tree, background, sums, work.interrupt);
  const Betas betas(std::min(tree.players().size(), tree.depth() * (1 + most_surrogates(tree.tree()))) + 1);
  const std::size_t n_threads = std::max<std::size_t>(std::min(work.n_threads, x.n_rows), 1);
  std::vector<Mixer> mixers;
  for (std::size_t i = 0; i < n_threads; ++i) mixers.emplace_back(tree, x, background, betas, sums);
  const double weight = 1.0 / static_cast<double>(background.n_rows);
  const auto one = [&](std::size_t row, std::size_t worker) {
    for (std::size_t other = 0; other < background.n_rows; ++other) {
      if (other % kPairsAtOnce == 0) work.interrupt.check();
      mixers[worker].run(row, other, weight);
    }
  };
  if (n_threads == 1) {
    for (std::size_t row = 0; row < x.n_rows; ++row) one(row, 0);
    return;
  }
  ThreadTeam(n_threads, &work.interrupt).run(x.n_rows, one);
}

}  // namespace spinney
