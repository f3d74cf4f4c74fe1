// Shapley values by background: for a row and a row of the background, all ways that a mix of the two can go.
//
// A player on which both rows say the same decides nothing. Where they differ, the walk goes on twice: once with the
// player in the coalition, which speaks as the row does, and once with it out, which speaks as the background row does;
// from there on it is settled for the path. A leaf that is reached with u players in and v players out is the answer of
// every coalition that has those u and not those v, so that each of the u gets (u - 1)! v! / (u + v)! of its value, and
// each of the v loses u! (v - 1)! / (u + v)! of it. These do not depend on the player, so both are added up on the way
// back, and handed to a player once, where its settlement ends. A gap is a value like others: who is missing passes the
// word to the next surrogate of the mix.
//
// Rows of the background go together, as bits of a word, for as long as the same players are settled for them: a test
// is asked once of each, whatever the number of rows that are explained.

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "spinney/parallel.hpp"
#include "spinney/shapley/shapley.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr std::size_t kOthers = 64;     // rows of the background that go together
constexpr std::int32_t kNotAsked = -3;  // beside kNoBranch

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

/// A way that waits: where it goes on, for whom, and who is settled for it.
struct Way {
  NodeId node;
  std::int32_t test;    // 0 for the node's own, then its surrogates
  std::int32_t branch;  // that it takes, or kNotAsked
  std::uint64_t others;
  double weight;  // of each of the others
  std::size_t n_settled;
  Settled next;  // player kNoPlayer: nobody else
};

/// What up to kOthers rows answer to the tests of a tree, each asked when it is first needed.
class Answers {
 public:
  struct Group {
    std::int32_t branch;
    std::uint64_t rows;
  };

  Answers(const Tree& tree, const Matrix& x) : tree_(tree), x_(x) {
    const std::size_t n_nodes = tree.n_nodes(), n_tests = n_nodes + tree.surrogates.tests.size();
    begin_.reserve(n_tests);
    std::size_t n_groups = 0;
    const auto add = [&](std::size_t node) {
      begin_.push_back(n_groups);
      n_groups += static_cast<std::size_t>(tree.n_children[node]) + 1;
    };
    for (std::size_t node = 0; node < n_nodes; ++node) add(node);
    for (std::size_t node = 0; node < n_nodes; ++node) {
      for (std::int64_t i = 0; i < tree.surrogates.lists.length(node); ++i) add(node);
    }
    groups_.resize(n_groups);
    size_.resize(n_tests);
  }

  void begin(std::size_t first, std::size_t n_rows) {
    first_ = first;
    n_rows_ = n_rows;
    std::fill(size_.begin(), size_.end(), 0);
  }

  /// The rows by their branches; a test is a node, or behind the nodes a surrogate.
  std::span<const Group> of(std::size_t test) {
    Group* const own = groups_.data() + begin_[test];
    if (size_[test] == 0) ask(test, own);
    return {own, size_[test]};
  }

  std::int32_t answer(std::size_t test, const Matrix& x, std::size_t row) const {
    const std::size_t n_nodes = tree_.n_nodes();
    return test < n_nodes ? tree_.tests.answer(test, x, row) : tree_.surrogates.answer(test - n_nodes, x, row);
  }

 private:
  void ask(std::size_t test, Group* own) {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) {
      const std::int32_t branch = answer(test, x_, first_ + i);
      std::uint32_t g = 0;
      while (g < n && own[g].branch != branch) ++g;
      if (g == n) own[n++] = {branch, 0};
      own[g].rows |= std::uint64_t{1} << i;
    }
    size_[test] = n;
  }

  const Tree& tree_;
  const Matrix& x_;
  std::size_t first_ = 0, n_rows_ = 0;
  std::vector<std::size_t> begin_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> size_;  // 0: not asked
};

/// The mixes of one row with others. Memory is kept from one to the next.
class Mixer {
 public:
  Mixer(const PathTree& tree, const Matrix& x, const Matrix& background, const Betas& betas, ShapleySums& sums)
      : tree_(tree), x_(x), betas_(betas), sums_(sums), n_(tree.n_worked_out()), answers_(tree.tree(), background) {
    side_.assign(tree.players().size(), Side::open);
    credit_.assign(tree.players().size() * n_, 0.0);
    below_.assign(2 * n_, 0.0);
    const Tree& own = tree.tree();
    for (std::size_t node = 0; node < own.n_nodes(); ++node) use(tree.players().of_test(static_cast<NodeId>(node)));
    for (std::size_t i = 0; i < own.surrogates.tests.size(); ++i)
      use(tree.players().of_surrogate(static_cast<std::int64_t>(i)));
    std::fill(side_.begin(), side_.end(), Side::open);
  }

  void begin(std::size_t first, std::size_t n_others) {
    answers_.begin(first, n_others);
    everyone_ = ~std::uint64_t{0} >> (kOthers - n_others);
  }

  void run(std::size_t row, double weight) {
    row_ = row;
    waiting_.assign(1, {0, 0, kNotAsked, everyone_, weight, 0, {kNoPlayer, Side::open}});
    while (!waiting_.empty()) {
      const Way way = waiting_.back();
      waiting_.pop_back();
      unsettle(way.n_settled);
      if (way.next.player != kNoPlayer) settle(way.next);
      follow(way);
    }
    unsettle(0);
    hand_out();
  }

 private:
  void use(std::int32_t player) {
    if (player == kNoPlayer || side_[player] != Side::open) return;
    side_[player] = Side::in;
    used_.push_back(player);
  }
  void settle(const Settled& one) {
    settled_.push_back(one);
    side_[one.player] = one.side;
    n_in_ += one.side == Side::in ? 1 : 0;
    if (n_below_ < settled_.size()) below_.resize(2 * n_ * (++n_below_ + 1), 0.0);
  }
  /// Ends settlements: each player gets its part of what the leaves below have added up to.
  void unsettle(std::size_t n_settled) {
    for (; settled_.size() > n_settled; settled_.pop_back()) {
      const Settled last = settled_.back();
      const bool in = last.side == Side::in;
      side_[last.player] = Side::open;
      n_in_ -= in ? 1 : 0;
      double* const below = below_.data() + 2 * n_ * settled_.size();
      double* const above = below - 2 * n_;
      double* const own = credit_.data() + static_cast<std::size_t>(last.player) * n_;
      const double* const part = in ? below : below + n_;
      for (std::size_t c = 0; c < n_; ++c) own[c] += part[c];
      for (std::size_t c = 0; c < 2 * n_; ++c) above[c] += std::exchange(below[c], 0.0);
    }
  }

  std::size_t test_of(const Way& way) const {
    const Tree& tree = tree_.tree();
    if (way.test == 0) return static_cast<std::size_t>(way.node);
    return tree.n_nodes() + static_cast<std::size_t>(tree.surrogates.lists.begin(way.node) + way.test - 1);
  }
  std::int32_t player_of(std::size_t test) const {
    const std::size_t n_nodes = tree_.tree().n_nodes();
    if (test < n_nodes) return tree_.players().of_test(static_cast<NodeId>(test));
    return tree_.players().of_surrogate(static_cast<std::int64_t>(test - n_nodes));
  }

  /// Goes down to a leaf, and leaves behind what branches off.
  void follow(Way way) {
    const Tree& tree = tree_.tree();
    while (true) {
      if (way.branch != kNotAsked && !step(way)) return;
      if (tree.is_leaf(way.node)) return credit(tree_.values(way.node), way);
      const std::size_t test = test_of(way);
      const std::int32_t player = player_of(test);
      const Side side = player == kNoPlayer ? Side::in : side_[player];
      if (side != Side::out) way.branch = answers_.answer(test, x_, row_);
      if (side == Side::open && !divide(way, test, player)) return;
      if (side == Side::out && !follow_others(way, test)) return;
    }
  }

  /// Leaves behind those who answer otherwise than the row; false if all do.
  bool divide(Way& way, std::size_t test, std::int32_t player) {
    std::uint64_t same = 0;
    for (const Answers::Group& group : answers_.of(test)) {
      const std::uint64_t rows = group.rows & way.others;
      if (group.branch == way.branch) {
        same = rows;
      } else if (rows != 0) {
        leave({way.node, way.test, group.branch, rows, way.weight, settled_.size(), {player, Side::out}});
      }
    }
    if (same == way.others) return true;
    Way in = way;
    in.others &= ~same;
    in.next = {player, Side::in};
    leave(in);
    way.others = same;
    return same != 0;
  }

  /// Goes the way of some of the others, and leaves those of the rest behind; false if there are none.
  bool follow_others(Way& way, std::size_t test) {
    const std::uint64_t others = way.others;
    way.others = 0;
    for (const Answers::Group& group : answers_.of(test)) {
      const std::uint64_t rows = group.rows & others;
      if (rows == 0) continue;
      if (way.others != 0) leave(way);
      way.others = rows;
      way.branch = group.branch;
    }
    return way.others != 0;
  }

  void leave(Way way) {
    way.n_settled = settled_.size();
    waiting_.push_back(way);
  }

  /// Goes to a child, or to the next surrogate; false if the way ends, as other ways go on.
  bool step(Way& way) {
    const Tree& tree = tree_.tree();
    const std::int32_t branch = way.branch;
    way.branch = kNotAsked;
    way.next = {kNoPlayer, Side::open};
    if (branch == kNoBranch && tree.missing == MissingRule::fractional) {
      note_divided(row_, sums_);
      const NodeId first = tree.first_child[way.node];
      for (NodeId child = first + tree.n_children[way.node]; child-- > first;) {
        Way part = way;
        part.node = child;
        part.weight *= tree_.share(child);
        if (part.weight > 0.0) leave(part);
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

  void credit(const double* values, const Way& way) {
    if (settled_.empty()) return;
    const std::size_t u = n_in_, v = settled_.size() - n_in_;
    const double weight = way.weight * static_cast<double>(std::popcount(way.others));
    const double gain = u > 0 ? weight * betas_.at(u, v + 1) : 0.0;
    const double loss = v > 0 ? -weight * betas_.at(u + 1, v) : 0.0;
    double* const below = below_.data() + 2 * n_ * settled_.size();
    for (std::size_t c = 0; c < n_; ++c) {
      below[c] += gain * values[c];
      below[n_ + c] += loss * values[c];
    }
    if (!sums_.interactions.empty()) credit_pairs(values, weight, u, v);
  }

  /// Hands the credit of the players to their columns.
  void hand_out() {
    const std::size_t n = n_, k = tree_.n_outputs();
    double* const row = sums_.values.data() + row_ * x_.n_columns * k;
    for (const std::int32_t player : used_) {
      double* const own = credit_.data() + static_cast<std::size_t>(player) * n;
      const double last = -std::accumulate(own, own + n, 0.0);
      add_credit(tree_.players(), player, [&](std::size_t c) { return c < n ? own[c] : last; }, k, row);
      std::fill_n(own, n, 0.0);
    }
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
  const Betas& betas_;
  ShapleySums& sums_;
  std::size_t n_, n_below_ = 0;  // outputs that are worked out; settlements that there is room for
  Answers answers_;
  std::uint64_t everyone_ = 0;
  std::size_t row_ = 0, n_in_ = 0;
  std::vector<Way> waiting_;
  std::vector<Settled> settled_;    // on the present way
  std::vector<Side> side_;          // by player
  std::vector<double> below_;       // by settlement, and before them: gains and losses at leaves below
  std::vector<double> credit_;      // by player and output that is worked out
  std::vector<std::int32_t> used_;  // players that the tree asks
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
    if (row % kOthers == 0) interrupt.check();
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
  ThreadTeam team(n_threads, &work.interrupt);
  for (std::size_t first = 0; first < background.n_rows; first += kOthers) {
    for (Mixer& mixer : mixers) mixer.begin(first, std::min(kOthers, background.n_rows - first));
    const auto one = [&](std::size_t row, std::size_t worker) {
      work.interrupt.check();
      mixers[worker].run(row, weight);
    };
    team.run_if(true, x.n_rows, one);
  }
}

}  // namespace spinney
