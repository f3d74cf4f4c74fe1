// Shapley values by cover, in time linear in the size of the tree times the points of the quadrature.
//
// One walk goes down every path, for four rows side by side. `product` holds, for each point, the weight of the point
// times the factors of all players that spoke so far; `gathered` comes back with the sum over the leaves below of
// product times value. A player gets its credit where the walk leaves an edge that it spoke for: gathered, with the
// player's own factor taken out. A player that speaks again further down has a new factor there, which takes the place
// of the one above:
//
//   in    1 if all edges of the player so far are the row's way, else 0
//   out   the product of their shares
//   factor at t    in t + out (1 - t)
//   slope at t     (in - out) / factor: what its credit is gathered with
//
// Level 0 stands for the edge before the first one of a player: factor 1, slope 0.

#include <algorithm>
#include <array>

#include "spinney/lanes.hpp"
#include "spinney/multiversion.hpp"
#include "spinney/parallel.hpp"
#include "spinney/shapley/quadrature.hpp"
#include "spinney/shapley/shapley.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBlockSteps = std::size_t{1} << 20;  // between two looks at the interrupt
constexpr double kNothing = 1e-280;                        // a share that is as good as none, and cannot be divided by

/// An edge of the path that the walk is on, and the node that it leads to.
struct Level {
  std::int32_t player = kNoPlayer;              // whose factor changes here; kNoPlayer if none does
  std::int32_t previous = 0;                    // depth of the edge that it takes the place of
  double out = 1.0;                             // of the player
  double in[kRowLanes] = {1.0, 1.0, 1.0, 1.0};  // of the player, by row
  bool is_own_path = true;                      // whether the path is the way of the first row
  std::int32_t speaker = kNoPlayer;             // at the node
  double branch[kRowLanes] = {};                // that it says, by row
};

/// Memory of a thread. A vector over the points stands for each level.
struct Scratch {
  std::vector<Level> levels;
  std::vector<double> product, inverse, slope, gathered, delta, credit;  // of kRowLanes rows
  std::vector<std::int32_t> last;      // by player: depth of its edge on the path, 0 if there is none
  std::vector<std::int32_t> speaking;  // the players that have one

  void resize(const PathTree& tree, std::size_t n_points) {
    const std::size_t n = tree.depth() + 1;
    levels.assign(n, Level{});
    const std::size_t size = n * n_points * kRowLanes;
    product.resize(size);
    inverse.assign(size, 1.0);
    slope.assign(size, 0.0);
    gathered.resize(size * tree.n_worked_out());
    delta.resize(n_points * kRowLanes);
    credit.resize(tree.n_outputs() * kRowLanes);
    last.assign(tree.players().size(), 0);
    speaking.reserve(tree.most_players());
  }
};

/// Up to four rows for which the same players speak at every node; the last is repeated to make up four.
struct Group {
  std::array<std::size_t, kRowLanes> row;
  std::size_t size;
};

SPINNEY_INLINED Four* fours(double* numbers) { return reinterpret_cast<Four*>(numbers); }
SPINNEY_INLINED bool any(const double* in) { return in[0] + in[1] + in[2] + in[3] > 0.0; }

/// The walk of a group. kPoints: a constant number of points, so that loops have no ends to look for; 0 for any.
template <std::size_t kPoints>
class Walk {
 public:
  SPINNEY_INLINED Walk(const PathTree& tree, const Quadrature& points, const Matrix& x, ShapleySums& sums,
                       Scratch& scratch)
      : tree_(tree), points_(points), x_(x), sums_(sums), scratch_(scratch) {}

  SPINNEY_INLINED void run(const Group& group) {
    group_ = group;
    for (std::size_t r = 0; r < n_points(); ++r)
      std::fill_n(scratch_.product.data() + r * kRowLanes, kRowLanes, points_.weight[r]);
    std::size_t at = 0;  // depth of the last node that is open
    const std::span<const PathNode> nodes = tree_.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const PathNode& node = nodes[i];
      const auto depth = static_cast<std::size_t>(node.depth);
      for (; i > 0 && at >= depth; --at) close(at);
      if (depth > 0 && !open_edge(node, depth)) {
        i += static_cast<std::size_t>(node.n_below);
        continue;
      }
      if (node.n_below == 0) {
        if (depth > 0) close_leaf(node, depth);
        continue;
      }
      Four* const sums = gathered(depth);
      for (std::size_t r = 0; r < n_points() * n_worked_out(); ++r) sums[r] = Four{};
      listen(node, depth);
      at = depth;
    }
    for (; at > 0; --at) close(at);
  }

 private:
  SPINNEY_INLINED std::size_t n_points() const { return kPoints > 0 ? kPoints : points_.size(); }
  SPINNEY_INLINED std::size_t n_worked_out() const { return tree_.n_worked_out(); }
  SPINNEY_INLINED Four* of_level(std::vector<double>& numbers, std::size_t depth) const {
    return fours(numbers.data()) + depth * n_points();
  }
  SPINNEY_INLINED Four* product(std::size_t depth) { return of_level(scratch_.product, depth); }
  SPINNEY_INLINED Four* inverse(std::size_t depth) { return of_level(scratch_.inverse, depth); }
  SPINNEY_INLINED Four* slope(std::size_t depth) { return of_level(scratch_.slope, depth); }
  SPINNEY_INLINED Four* delta() { return fours(scratch_.delta.data()); }
  SPINNEY_INLINED Four* gathered(std::size_t depth) { return of_level(scratch_.gathered, depth * n_worked_out()); }

  /// Learns what is said at a node.
  SPINNEY_INLINED void listen(const PathNode& node, std::size_t depth) {
    Level& level = scratch_.levels[depth];
    level.speaker = node.player;
    if (node.is_threshold) {
      double value[kRowLanes];
      for (std::size_t i = 0; i < kRowLanes; ++i)
        value[i] = x_.at(group_.row[i], static_cast<std::size_t>(node.feature));
      *fours(level.branch) = SPINNEY_ONE_WHERE(*fours(value) > node.threshold);
      const double sum = (value[0] + value[1]) + (value[2] + value[3]);
      if (sum == sum) return;  // else there may be a gap
    }
    for (std::size_t i = 0; i < kRowLanes; ++i) {
      const Said said = tree_.players().said(tree_.tree(), node.node, x_, group_.row[i]);
      level.branch[i] = said.branch;
      level.speaker = said.player;
      if (said.branch == kEveryBranch && level.is_own_path) note_divided(group_.row[i], sums_);
    }
  }

  /// Enters an edge; false if nothing can be below it.
  SPINNEY_INLINED bool open_edge(const PathNode& node, std::size_t depth) {
    Level& above = scratch_.levels[depth - 1];
    Level& level = scratch_.levels[depth];
    const double branch = node.branch;
    const Four own = SPINNEY_ONE_WHERE(*fours(above.branch) == branch);
    const bool is_divided = above.branch[0] == kEveryBranch;
    level.is_own_path = above.is_own_path && (is_divided || above.branch[0] == branch);
    level.player = above.speaker;
    if (level.player == kNoPlayer) {
      *fours(level.in) = is_divided ? own + node.share : own;  // of a row that is divided none is its own
      for (std::size_t r = 0; r < n_points(); ++r) product(depth)[r] = product(depth - 1)[r] * *fours(level.in);
      return any(level.in);
    }
    level.previous = scratch_.last[level.player];
    Level& before = scratch_.levels[level.previous];  // of level 0 in and out are 1
    *fours(level.in) = *fours(before.in) * own;
    level.out = before.out * node.share;
    if (level.out < kNothing) level.out = 0.0;
    if (level.out == 0.0 && !any(level.in)) return false;
    if (level.previous == 0) scratch_.speaking.push_back(level.player);
    scratch_.last[level.player] = static_cast<std::int32_t>(depth);
    set_factor(depth, level);
    return true;
  }

  SPINNEY_INLINED void set_factor(std::size_t depth, Level& level) {
    const Four* const up = product(depth - 1);
    const Four* const old = inverse(static_cast<std::size_t>(level.previous));
    Four* const own = product(depth);
    Four* const inverted = inverse(depth);
    Four* const slopes = slope(depth);
    const double* const t = points_.point.data();
    const double* const rest = points_.rest.data();
    const double out = level.out;
    const Four in = *fours(level.in), rise = in - out;
    const Four mended = out > 0.0 ? Four{} : 1.0 - in;  // a factor of 0 is not divided by
    for (std::size_t r = 0; r < n_points(); ++r) {
      const Four factor = in * t[r] + out * rest[r], inverse_factor = 1.0 / (factor + mended);
      own[r] = up[r] * old[r] * factor;
      inverted[r] = inverse_factor;
      slopes[r] = rise * inverse_factor;
    }
  }

  /// How the credit of an edge's player is gathered: its slope less the one that it takes the place of.
  SPINNEY_INLINED void set_delta(std::size_t depth, const Level& level) {
    const Four* const own = slope(depth);
    const Four* const old = slope(static_cast<std::size_t>(level.previous));
    for (std::size_t r = 0; r < n_points(); ++r) delta()[r] = own[r] - old[r];
  }

  SPINNEY_INLINED void close_leaf(const PathNode& leaf, std::size_t depth) {
    const Level& level = scratch_.levels[depth];
    const Four* const own = product(depth);
    const double* const values = tree_.values(leaf);
    Four* up = gathered(depth - 1);
    for (std::size_t c = 0; c < n_worked_out(); ++c, up += n_points())
      for (std::size_t r = 0; r < n_points(); ++r) up[r] = up[r] + own[r] * values[c];
    if (level.player == kNoPlayer) return;
    set_delta(depth, level);
    give(level.player, Below{own, 0, values});
    if (!sums_.interactions.empty()) pair_up(depth, Below{own, 0, values});
    fall_silent(level);
  }

  SPINNEY_INLINED void close(std::size_t depth) {
    const Level& level = scratch_.levels[depth];
    const Four* const own = gathered(depth);
    Four* const up = gathered(depth - 1);
    for (std::size_t r = 0; r < n_points() * n_worked_out(); ++r) up[r] = up[r] + own[r];
    if (level.player == kNoPlayer) return;
    set_delta(depth, level);
    give(level.player, Below{own, n_points(), nullptr});
    if (!sums_.interactions.empty()) pair_up(depth, Below{own, n_points(), nullptr});
    fall_silent(level);
  }

  SPINNEY_INLINED void fall_silent(const Level& level) {
    scratch_.last[level.player] = level.previous;
    if (level.previous == 0) scratch_.speaking.pop_back();
  }

  /// What was gathered below an edge: of output c at gathered + c * stride, times the value of the leaf if it is one.
  struct Below {
    const Four* gathered;
    std::size_t stride;
    const double* values;
  };

  /// The credit of each output and row: delta with what is below, and with the slope of another player or without.
  SPINNEY_INLINED void set_credit(const Below& below, const Four* other) {
    Four* const credit = fours(scratch_.credit.data());
    Four total = {};
    for (std::size_t c = 0; c < n_worked_out(); ++c) {
      const Four* const own = below.gathered + c * below.stride;
      Four sum = {};
      for (std::size_t r = 0; r < n_points(); ++r)
        sum = sum + (other ? 0.5 * delta()[r] * other[r] * own[r] : delta()[r] * own[r]);
      credit[c] = below.values ? sum * below.values[c] : sum;
      total = total + credit[c];
    }
    if (tree_.adds_up()) credit[n_worked_out()] = -total;
  }

  SPINNEY_INLINED void give(std::int32_t player, const Below& below) {
    const std::size_t k = tree_.n_outputs();
    set_credit(below, nullptr);
    for (std::size_t i = 0; i < group_.size; ++i) {
      const auto credit = [&](std::size_t c) { return scratch_.credit[c * kRowLanes + i]; };
      add_credit(tree_.players(), player, credit, k, sums_.values.data() + group_.row[i] * x_.n_columns * k);
    }
  }

  /// Half of what two players do together, for the player of an edge and each that spoke above it.
  SPINNEY_INLINED void pair_up(std::size_t depth, const Below& below) {
    const std::size_t k = tree_.n_outputs(), n = x_.n_columns;
    const std::int32_t player = scratch_.levels[depth].player;
    for (const std::int32_t other : scratch_.speaking) {
      if (other == player) continue;
      set_credit(below, slope(static_cast<std::size_t>(scratch_.last[other])));
      for (std::size_t i = 0; i < group_.size; ++i) {
        const auto credit = [&](std::size_t c) { return scratch_.credit[c * kRowLanes + i]; };
        double* const row = sums_.interactions.data() + group_.row[i] * n * n * k;
        add_pair(tree_.players(), player, other, credit, k, n, row);
      }
    }
  }

  const PathTree& tree_;
  const Quadrature& points_;
  const Matrix& x_;
  ShapleySums& sums_;
  Scratch& scratch_;
  Group group_ = {};
};

/// Whether the own test of every node speaks for a row.
bool is_plain(const PathTree& tree, const Matrix& x, std::size_t row) {
  return std::ranges::all_of(tree.nodes(), [&](const PathNode& node) {
    return node.n_below == 0 || tree.tree().tests.answer(node.node, x, row) != kNoBranch;
  });
}

struct CoverTask {
  const PathTree& tree;
  const Quadrature& points;
  const Matrix& x;
  ShapleySums& sums;
  bool all_plain;  // whatever rows hold, their speakers are the same
};

template <std::size_t kPoints>
SPINNEY_INLINED void run_rows(const CoverTask& task, std::size_t begin, std::size_t end, Scratch& scratch) {
  Walk<kPoints> walk(task.tree, task.points, task.x, task.sums, scratch);
  Group plain{{}, 0};
  for (std::size_t row = begin; row < end; ++row) {
    if (!task.all_plain && !is_plain(task.tree, task.x, row)) {
      walk.run({{row, row, row, row}, 1});
      continue;
    }
    plain.row[plain.size++] = row;
    if (plain.size < kRowLanes) continue;
    walk.run(plain);
    plain.size = 0;
  }
  if (plain.size == 0) return;
  for (std::size_t i = plain.size; i < kRowLanes; ++i) plain.row[i] = plain.row[0];
  walk.run(plain);
}

SPINNEY_TWO_VERSIONS(void, run_block, (const CoverTask& task, std::size_t begin, std::size_t end, Scratch& scratch),
                     (task, begin, end, scratch)) {
  switch (task.points.size()) {
    case 1: return run_rows<1>(task, begin, end, scratch);
    case 2: return run_rows<2>(task, begin, end, scratch);
    case 3: return run_rows<3>(task, begin, end, scratch);
    case 4: return run_rows<4>(task, begin, end, scratch);
    case 5: return run_rows<5>(task, begin, end, scratch);
    case 6: return run_rows<6>(task, begin, end, scratch);
    default: return run_rows<0>(task, begin, end, scratch);
  }
}

}  // namespace

void add_by_cover(const PathTree& tree, const Matrix& x, ShapleySums& sums, const Work& work) {
  tree.add_expected(sums.expected.data());
  const Quadrature points(tree.most_players());
  const std::size_t steps = tree.nodes().size() * points.size() * (tree.n_worked_out() + 4);
  const std::size_t fair = x.n_rows / (4 * std::max<std::size_t>(work.n_threads, 1));
  const std::size_t rows = (std::min(4 * kBlockSteps / steps, fair) / kRowLanes + 1) * kRowLanes;
  const std::size_t n_blocks = (x.n_rows + rows - 1) / rows;
  const std::size_t n_threads = std::max<std::size_t>(std::min(work.n_threads, n_blocks), 1);
  std::vector<Scratch> scratch(n_threads);
  for (Scratch& own : scratch) own.resize(tree, points.size());
  const bool all_plain = tree.tree().surrogates.tests.size() == 0 && tree.tree().missing != MissingRule::fractional;
  const CoverTask task{tree, points, x, sums, all_plain};
  const auto block = [&](std::size_t b, std::size_t worker) {
    work.interrupt.check();
    run_block(task, b * rows, std::min(x.n_rows, (b + 1) * rows), scratch[worker]);
  };
  if (n_threads == 1) {
    for (std::size_t b = 0; b < n_blocks; ++b) block(b, 0);
    return;
  }
  ThreadTeam(n_threads, &work.interrupt).run(n_blocks, block);
}

}  // namespace spinney
