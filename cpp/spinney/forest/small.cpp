#include "spinney/forest/small.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "spinney/parallel.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/shrink.hpp"

namespace spinney {

namespace {

constexpr std::size_t kMostKept = 16384;                    // that judge, and near which others are drawn
constexpr std::size_t kMostNumbers = std::size_t{1} << 24;  // of a table of rows, by columns or by classes
constexpr std::size_t kRowsOfChoice = 2048;                 // by which trees are chosen, and sizes compared
constexpr std::size_t kChunk = 2048, kBlock = 64;
constexpr int kMixes = 10;  // shares of kinds are multiples of one part in so many
constexpr std::array kPowers{0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0};
constexpr double kLeastShare = 1e-3;  // of a class where probabilities are judged by their logarithm

using Answers = std::vector<std::vector<double>>;  // by tree: n_nodes * n_outputs

/// Rows of a table of our own, one after the other.
struct OwnRows {
  std::size_t n = 0, n_columns = 0;
  std::vector<double> value;

  Matrix part(std::size_t begin, std::size_t end) const {
    return {value.data() + begin * n_columns, static_cast<std::ptrdiff_t>(n_columns), 1, end - begin, n_columns};
  }
};

void sharpen(double* shares, std::size_t k, double power) {
  double total = 0.0;
  for (std::size_t c = 0; c < k; ++c) total += shares[c] = std::pow(std::max(shares[c], 1e-6), power);
  for (std::size_t c = 0; c < k; ++c) shares[c] /= total;
}

/// Puts class shares back among those that are not below 0 and add up to 1.
void make_shares(double* shares, std::size_t k) {
  double total = 0.0;
  for (std::size_t c = 0; c < k; ++c) total += shares[c] = std::max(shares[c], 0.0);
  for (std::size_t c = 0; c < k; ++c) shares[c] = total > 0.0 ? shares[c] / total : 1.0 / static_cast<double>(k);
}

double squared_distance(const double* a, const double* b, std::size_t k) {
  double sum = 0.0;
  for (std::size_t c = 0; c < k; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

float product(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr std::size_t kLanes = 8;
  std::array<float, kLanes> sum{};
  const std::size_t whole = a.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t i = whole; i < a.size(); ++i) sum[0] += a[i] * b[i];
  return std::accumulate(sum.begin(), sum.end(), 0.0F);
}

class Maker {
 public:
  Maker(const TreePool& pool, const SmallPlan& plan, ThreadTeam& team, Interrupt& interrupt)
      : pool_(pool),
        plan_(plan),
        team_(team),
        interrupt_(interrupt),
        k_(pool.target.n_outputs()),
        of_kind_(std::size_t{1} + *std::max_element(pool.kind.begin(), pool.kind.end())),
        unseen_(of_kind_.size()),
        n_unseen_(of_kind_.size()) {
    for (std::size_t i = 0; i < pool.kind.size(); ++i) of_kind_[pool.kind[i]].push_back(i);
    out_.strength.assign(of_kind_.size(), 0.0);
  }

  SmallForest make() {
    keep_rows();
    for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) shrink(kind);
    mix();
    draw();
    list_candidates();
    ask_pool();
    choose();
    compare_sizes();
    finish();
    return std::move(out_);
  }

 private:
  double truth(std::size_t slot, std::size_t c) const {
    const RowIndex row = kept_row_[slot];
    if (pool_.target.n_classes == 0) return pool_.target.y[row] - centre_;
    return static_cast<std::size_t>(pool_.target.codes[row]) == c ? 1.0 : 0.0;
  }
  /// Rows in blocks, each with a place of its own to write to.
  template <class Take>
  void for_rows(std::size_t n, const Take& take) {
    team_.run_if(n * pool_.forest.size() > kParallelWork, (n + kBlock - 1) / kBlock,
                 [&](std::size_t block, std::size_t) {
                   interrupt_.check();
                   for (std::size_t row = block * kBlock; row < std::min(n, (block + 1) * kBlock); ++row) take(row);
                 });
  }

  /// Takes the rows that judge, evenly chosen, with their leaves and the members that saw them.
  void keep_rows() {
    const Target& target = pool_.target;
    std::vector<RowIndex> used;
    for (std::size_t row = 0; row < target.n_rows(); ++row) {
      if (target.weight[row] > 0.0) used.push_back(static_cast<RowIndex>(row));
    }
    const std::size_t most =
        std::min(kMostKept, std::max<std::size_t>(kMostNumbers / std::max(k_, pool_.x.n_columns), 64));
    const std::size_t step = (used.size() + most - 1) / most;
    for (std::size_t i = 0; i < used.size(); i += step) kept_row_.push_back(used[i]);
    kept_.n = kept_row_.size();
    if (target.n_classes == 0) centre_ = target.y[kept_row_.front()];
    kept_.n_columns = pool_.x.n_columns;
    kept_.value.resize(kept_.n * kept_.n_columns);
    for (std::size_t slot = 0; slot < kept_.n; ++slot) {
      for (std::size_t c = 0; c < kept_.n_columns; ++c)
        kept_.value[slot * kept_.n_columns + c] = pool_.x.at(kept_row_[slot], c);
    }
    const std::size_t n_trees = pool_.forest.size();
    kept_leaf_.resize(kept_.n * n_trees);
    pool_.forest.apply(kept_.part(0, kept_.n), kept_leaf_.data(), {team_.size(), interrupt_});
    left_out_.resize(n_trees);
    team_.run(n_trees, [&](std::size_t i, std::size_t) {
      interrupt_.check();
      const std::vector<double> counts = pool_.sampling.counts_by_row(target, i);
      for (const RowIndex row : kept_row_) left_out_[i].push_back(counts[row] == 0.0);
    });
    answers_.resize(n_trees);
  }

  /// The mean answers of a kind for kept rows, by trees that did not see them.
  void add_unseen(std::size_t kind, const Answers& answers, std::vector<double>& mean) {
    mean.assign(kept_.n * k_, 0.0);
    n_unseen_[kind].assign(kept_.n, 0);
    const std::size_t n_trees = pool_.forest.size();
    for_rows(kept_.n, [&](std::size_t row) {
      double* const sum = mean.data() + row * k_;
      std::int32_t n = 0;
      for (const std::size_t i : of_kind_[kind]) {
        if (!left_out_[i][row]) continue;
        const double* const own = answers[i].data() + static_cast<std::size_t>(kept_leaf_[row * n_trees + i]) * k_;
        for (std::size_t c = 0; c < k_; ++c) sum[c] += own[c];
        ++n;
      }
      for (std::size_t c = 0; n > 0 && c < k_; ++c) sum[c] /= n;
      n_unseen_[kind][row] = n;
    });
  }

  /// The weight by which a row that judges counts.
  double weight_of(std::size_t slot) const {
    const RowIndex row = kept_row_[slot];
    return pool_.target.weight[row] * (pool_.target.n_classes > 0 ? pool_.target.scale_of(row) : 1.0);
  }

  /// The mean cost of answers for rows in question that some tree of each of some kinds left out; NaN if there is none.
  template <class Cost>
  double loss(std::size_t first_kind, std::size_t last_kind, const Cost& cost) const {
    double total = 0.0, weight = 0.0;
    for (std::size_t slot = 0; slot < kept_.n; ++slot) {
      bool unseen = true;
      for (std::size_t kind = first_kind; kind <= last_kind; ++kind) unseen = unseen && n_unseen_[kind][slot] > 0;
      if (!unseen) continue;
      const double w = weight_of(slot);
      total += w * cost(slot);
      weight += w;
    }
    return weight > 0.0 ? total / weight : kNaN;
  }

  double squared_error(std::size_t slot, const double* answer) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < k_; ++c) {
      const double off = answer[c] - truth(slot, c);
      sum += off * off;
    }
    return sum;
  }

  /// Chooses how strongly the trees of a kind are shrunk.
  void shrink(std::size_t kind) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> mean;
    Answers tried(pool_.forest.size());
    const std::vector<std::size_t>& own = of_kind_[kind];
    std::vector<Tree> trees(own.size());
    team_.run(trees.size(), [&](std::size_t i, std::size_t) { trees[i] = pool_.forest.member(own[i]).tree.unpack(); });
    for (std::size_t s = 0; s < plan_.strengths.size(); ++s) {
      team_.run(trees.size(), [&](std::size_t i, std::size_t) {
        interrupt_.check();
        tried[own[i]] = shrunk_answers(trees[i], plan_.strengths[s]);
        for (double& answer : tried[own[i]]) answer -= centre_;
      });
      add_unseen(kind, tried, mean);
      const double now =
          loss(kind, kind, [&](std::size_t slot) { return squared_error(slot, mean.data() + slot * k_); });
      if (s > 0 && !(now < least)) continue;
      if (!std::isnan(now)) least = now;
      out_.strength[kind] = plan_.strengths[s];
      unseen_[kind] = mean;
      for (const std::size_t i : own) answers_[i] = tried[i];
    }
  }

  /// Chooses the shares of the kinds, and for classes the power that sharpens.
  void mix() {
    choose_shares();
    std::vector<double> answer(k_);
    const auto mixed = [&](std::size_t slot) {
      std::fill(answer.begin(), answer.end(), 0.0);
      for (std::size_t kind = 0; kind < of_kind_.size(); ++kind) {
        for (std::size_t c = 0; c < k_; ++c) answer[c] += out_.share[kind] * unseen_[kind][slot * k_ + c];
      }
      return answer.data();
    };
    if (pool_.target.n_classes > 0) choose_power(mixed);
    out_.pool_loss = loss(0, of_kind_.size() - 1, [&](std::size_t slot) {
      double* const own = mixed(slot);
      if (pool_.target.n_classes > 0) sharpen(own, k_, out_.power);
      return squared_error(slot, own);
    });
  }

  /// Tries all shares that are multiples of one part. The loss of a mean is a sum over pairs of kinds of mean products
  /// of their errors, so rows are passed once a pair.
  void choose_shares() {
    const std::size_t n = of_kind_.size();
    std::vector<double> products(n * n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        products[a * n + b] = products[b * n + a] = loss(0, n - 1, [&](std::size_t slot) {
          double sum = 0.0;
          for (std::size_t c = 0; c < k_; ++c)
            sum += (unseen_[a][slot * k_ + c] - truth(slot, c)) * (unseen_[b][slot * k_ + c] - truth(slot, c));
          return sum;
        });
      }
      out_.kind_loss.push_back(products[a * n + a]);
    }
    out_.share.assign(n, 1.0 / static_cast<double>(n));
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> parts(n);
    try_shares(0, kMixes, parts, products, least);
  }

  void try_shares(std::size_t kind, int left, std::vector<int>& parts, const std::vector<double>& products,
                  double& least) {
    const std::size_t n = parts.size();
    if (kind + 1 < n) {
      for (parts[kind] = left; parts[kind] >= 0; --parts[kind])
        try_shares(kind + 1, left - parts[kind], parts, products, least);
      return;
    }
    parts[kind] = left;
    double now = 0.0;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) now += parts[a] * parts[b] * products[a * n + b];
    }
    if (!(now < least)) return;
    least = now;
    for (std::size_t a = 0; a < n; ++a) out_.share[a] = static_cast<double>(parts[a]) / kMixes;
  }

  template <class Mixed>
  void choose_power(const Mixed& mixed) {
    double least = std::numeric_limits<double>::infinity();
    for (const double power : kPowers) {
      const double now = loss(0, of_kind_.size() - 1, [&](std::size_t slot) {
        double* const own = mixed(slot);
        sharpen(own, k_, power);
        double total = 0.0;
        for (std::size_t c = 0; c < k_; ++c) total += std::max(own[c], kLeastShare);
        return -std::log(std::max(own[pool_.target.codes[kept_row_[slot]]], kLeastShare) / total);
      });
      if (now < least) {
        least = now;
        out_.power = power;
      }
    }
  }

  /// Draws rows: each column from a row, or from a near one in the order of the leaves of a tree.
  void draw() {
    const std::size_t most = std::max<std::size_t>(kMostNumbers / std::max(k_, kept_.n_columns), 64);
    n_fit_ = std::min(plan_.n_drawn, most);
    drawn_.n = n_fit_ + std::clamp<std::size_t>(n_fit_ / 4, 1, kRowsOfChoice);
    drawn_.n_columns = kept_.n_columns;
    drawn_.value.resize(drawn_.n * drawn_.n_columns);
    std::vector<double> upto;
    double total = 0.0;
    for (const RowIndex row : kept_row_) upto.push_back(total += pool_.target.weight[row]);
    const std::vector<std::size_t>& first = of_kind_.front();
    team_.run(std::min(first.size(), drawn_.n), [&](std::size_t tree, std::size_t) {
      interrupt_.check();
      const auto [order, place] = order_of_leaves(first[tree]);
      for (std::size_t row = tree; row < drawn_.n; row += first.size()) draw_row(row, upto, order, place);
    });
  }

  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> order_of_leaves(std::size_t tree) const {
    const std::size_t n_trees = pool_.forest.size(), n_nodes = pool_.forest.member(tree).tree.n_nodes();
    std::vector<std::size_t> begin(n_nodes + 1), order(kept_.n), place(kept_.n);
    for (std::size_t slot = 0; slot < kept_.n; ++slot) ++begin[kept_leaf_[slot * n_trees + tree] + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (std::size_t slot = 0; slot < kept_.n; ++slot) {
      place[slot] = begin[kept_leaf_[slot * n_trees + tree]]++;
      order[place[slot]] = slot;
    }
    return {std::move(order), std::move(place)};
  }

  void draw_row(std::size_t row, const std::vector<double>& upto, const std::vector<std::size_t>& order,
                const std::vector<std::size_t>& place) {
    RandomStream random(plan_.seed, row);
    const auto found = std::upper_bound(upto.begin(), upto.end(), random.uniform() * upto.back());
    const std::size_t base = std::min<std::size_t>(found - upto.begin(), kept_.n - 1);
    const std::size_t step = 1 + random.below(plan_.reach), at = place[base];
    const bool up = random.below(2) == 1;
    const std::size_t mate = order[up ? std::min(at + step, kept_.n - 1) : at - std::min(at, step)];
    std::uint64_t bits = 0;
    for (std::size_t c = 0; c < kept_.n_columns; ++c, bits >>= 1) {
      if (c % 64 == 0) bits = random.next();
      const std::size_t from = (bits & 1) != 0 ? mate : base;
      drawn_.value[row * drawn_.n_columns + c] = kept_.value[from * kept_.n_columns + c];
    }
  }

  /// The trees to choose from: those of the kinds that may stay, and the others too if these are not enough.
  void list_candidates() {
    for (std::size_t i = 0; i < pool_.kind.size(); ++i) {
      if (pool_.kind[i] < plan_.n_staying) candidate_.push_back(i);
    }
    if (candidate_.size() >= plan_.n_trees) return;
    candidate_.resize(pool_.kind.size());
    std::iota(candidate_.begin(), candidate_.end(), std::size_t{0});
  }

  /// What the pool answers for drawn rows, and the leaves of candidates that they reach.
  void ask_pool() {
    const std::size_t n_trees = pool_.forest.size();
    for (const std::vector<double>& tree : answers_) {
      const auto [low, high] = std::minmax_element(tree.begin(), tree.end());
      low_ = std::min(low_, *low);
      high_ = std::max(high_, *high);
    }
    wanted_.assign(drawn_.n * k_, 0.0);
    leaf_.assign(candidate_.size(), std::vector<NodeId>(drawn_.n));
    std::vector<double> weight(n_trees);
    for (std::size_t i = 0; i < n_trees; ++i)
      weight[i] = out_.share[pool_.kind[i]] / static_cast<double>(of_kind_[pool_.kind[i]].size());
    std::vector<Asked> asked;
    for (std::size_t i = 0; i < n_trees; ++i) {
      if (weight[i] > 0.0) asked.push_back({i, weight[i], answers_[i].data()});
    }
    std::vector<NodeId> leaf(kChunk * n_trees);
    for (std::size_t begin = 0; begin < drawn_.n; begin += kChunk) {
      const std::size_t end = std::min(drawn_.n, begin + kChunk);
      pool_.forest.apply(drawn_.part(begin, end), leaf.data(), {team_.size(), interrupt_});
      for_rows(end - begin, [&](std::size_t row) {
        const NodeId* const own = leaf.data() + row * n_trees;
        double* const sum = wanted_.data() + (begin + row) * k_;
        switch (k_) {  // constants are unrolled
          case 1: add_answers(asked, own, sum, std::integral_constant<std::size_t, 1>()); break;
          case 2: add_answers(asked, own, sum, std::integral_constant<std::size_t, 2>()); break;
          case 3: add_answers(asked, own, sum, std::integral_constant<std::size_t, 3>()); break;
          default: add_answers(asked, own, sum, k_);
        }
        for (std::size_t j = 0; j < candidate_.size(); ++j) leaf_[j][begin + row] = leaf[row * n_trees + candidate_[j]];
      });
    }
  }

  /// A tree of the pool that has a share in its answers.
  struct Asked {
    std::size_t tree;
    double weight;
    const double* answers;
  };

  template <class Size>
  static void add_answers(const std::vector<Asked>& asked, const NodeId* leaf, double* sum, Size k) {
    for (const Asked& one : asked) {
      const double* const own = one.answers + static_cast<std::size_t>(leaf[one.tree]) * k;
      for (std::size_t c = 0; c < k; ++c) sum[c] += one.weight * own[c];
    }
  }

  const double* answer_of(std::size_t one, std::size_t row) const {
    return answers_[candidate_[one]].data() + static_cast<std::size_t>(leaf_[one][row]) * k_;
  }

  /// Takes one tree after the other whose mean with those before it is nearest to the pool.
  void choose() {
    const std::size_t n_trees = candidate_.size();
    const std::size_t room = std::max<std::size_t>(kMostNumbers * 4 / (n_trees * k_), 64);
    const std::size_t n = std::min({n_fit_, kRowsOfChoice, room});
    std::vector<std::vector<float>> said(n_trees, std::vector<float>(n * k_));
    std::vector<float> square(n_trees), score(n_trees), now(n * k_), rest(n * k_);
    team_.run(n_trees, [&](std::size_t tree, std::size_t) {
      interrupt_.check();
      for (std::size_t row = 0; row < n; ++row) std::copy_n(answer_of(tree, row), k_, said[tree].begin() + row * k_);
      square[tree] = product(said[tree], said[tree]);
    });
    std::vector<std::uint8_t> taken(n_trees);
    for (std::size_t size = 1; size <= std::min(plan_.n_trees, n_trees); ++size) {
      const auto times = static_cast<float>(size);
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = times * static_cast<float>(wanted_[i]) - now[i];
      team_.run_if(n * k_ * n_trees > kParallelWork, n_trees, [&](std::size_t tree, std::size_t) {
        if (!taken[tree]) score[tree] = square[tree] - 2.0F * product(said[tree], rest);
      });
      std::size_t best = n_trees;
      for (std::size_t tree = 0; tree < n_trees; ++tree) {
        if (!taken[tree] && (best == n_trees || score[tree] < score[best])) best = tree;
      }
      taken[best] = 1;
      const float off = score[best] + product(rest, rest);  // the squared length of rest, less this tree
      out_.distance_chosen.push_back(std::max(off, 0.0F) / (times * times * static_cast<float>(n)));
      for (std::size_t i = 0; i < now.size(); ++i) now[i] += said[best][i];
      chosen_.push_back(best);
    }
    if (pool_.target.n_classes == 0) return;
    for_rows(drawn_.n, [&](std::size_t row) { sharpen(wanted_.data() + row * k_, k_, out_.power); });
  }

  /// The leaves of the first `size` chosen trees, fitted in turn to what the others leave of the pool's answers.
  Answers fitted(std::size_t size, std::size_t n_rows) {
    Answers own(size);
    std::vector<std::vector<double>> count(size);
    std::vector<double> rest(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(n_rows * k_)), sum, step;
    const double each = 1.0 / static_cast<double>(size);
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t tree = chosen_[j];
      own[j] = answers_[candidate_[tree]];
      count[j].assign(own[j].size() / k_, 0.0);
      for (std::size_t row = 0; row < n_rows; ++row) {
        const double* const said = answer_of(tree, row);
        for (std::size_t c = 0; c < k_; ++c) rest[row * k_ + c] -= each * said[c];
        count[j][leaf_[tree][row]] += 1.0;
      }
    }
    const std::vector<NodeId>* moved = nullptr;  // leaves of the tree before this one, whose step is still to be taken
    for (std::size_t turn = 0; turn < size * static_cast<std::size_t>(plan_.n_sweeps); ++turn) {
      interrupt_.check();
      const std::size_t j = turn % size;
      const std::vector<NodeId>& leaf = leaf_[chosen_[j]];
      sum.assign(own[j].size(), 0.0);
      for (std::size_t row = 0; row < n_rows; ++row) {
        double* const left = rest.data() + row * k_;
        if (moved != nullptr) {
          const double* const by = step.data() + static_cast<std::size_t>((*moved)[row]) * k_;
          for (std::size_t c = 0; c < k_; ++c) left[c] -= each * by[c];
        }
        double* const at = sum.data() + static_cast<std::size_t>(leaf[row]) * k_;
        for (std::size_t c = 0; c < k_; ++c) at[c] += left[c];
      }
      for (std::size_t node = 0; node < count[j].size(); ++node) {
        if (count[j][node] > 0.0) move_leaf(own[j].data() + node * k_, sum.data() + node * k_, count[j][node], size);
      }
      step.swap(sum);
      moved = &leaf;
    }
    return own;
  }

  /// Moves a leaf by its mean residual, a number no further than the pool's answers reach; what was the sum of these
  /// becomes the step.
  void move_leaf(double* own, double* sum, double count, std::size_t size) const {
    const double factor = static_cast<double>(size) / (count + plan_.prior_rows);
    for (std::size_t c = 0; c < k_; ++c) {
      const double before = own[c];
      own[c] += factor * sum[c];
      sum[c] = before;
    }
    if (pool_.target.n_classes > 0) {
      make_shares(own, k_);
    } else {
      own[0] = std::clamp(own[0], low_, high_);
    }
    for (std::size_t c = 0; c < k_; ++c) sum[c] = own[c] - sum[c];
  }

  /// How far the pool is from the first trees, on drawn rows that fit nothing; and how many trees are enough.
  void compare_sizes() {
    const std::size_t most = chosen_.size(), n = std::min(n_fit_, kRowsOfChoice);
    const std::size_t end = drawn_.n;
    for (std::size_t size = 1; size <= most; size += std::max<std::size_t>(size / 2, 1))
      out_.size.push_back(static_cast<std::int64_t>(size));
    if (out_.size.back() != static_cast<std::int64_t>(most)) out_.size.push_back(static_cast<std::int64_t>(most));
    out_.distance.resize(out_.size.size());
    team_.run(out_.size.size(), [&](std::size_t i, std::size_t) {
      const std::size_t task = out_.size.size() - 1 - i, size = static_cast<std::size_t>(out_.size[task]);
      const Answers own = fitted(size, n);
      std::vector<double> mean(k_);
      double sum = 0.0;
      for (std::size_t row = n_fit_; row < end; ++row) {
        std::fill(mean.begin(), mean.end(), 0.0);
        for (std::size_t j = 0; j < size; ++j) {
          const double* const said = own[j].data() + static_cast<std::size_t>(leaf_[chosen_[j]][row]) * k_;
          for (std::size_t c = 0; c < k_; ++c) mean[c] += said[c] / static_cast<double>(size);
        }
        sum += squared_distance(mean.data(), wanted_.data() + row * k_, k_);
      }
      out_.distance[task] = sum / static_cast<double>(end - n_fit_);
    });
  }

  std::size_t enough() const {
    if (!(plan_.stop >= 0.0)) return chosen_.size();
    const double pool = std::isnan(out_.pool_loss) ? 0.0 : out_.pool_loss;
    const double limit = (pool + out_.distance.back()) * (1.0 + plan_.stop);
    for (std::size_t i = 0; i < out_.size.size(); ++i) {
      if (pool + out_.distance[i] <= limit) return static_cast<std::size_t>(out_.size[i]);
    }
    return chosen_.size();
  }

  void finish() {
    chosen_.resize(enough());
    out_.distance_chosen.resize(chosen_.size());
    Answers own = fitted(chosen_.size(), n_fit_);
    std::vector<Member> members(own.size());
    for (const std::size_t one : chosen_) out_.chosen.push_back(static_cast<std::int64_t>(candidate_[one]));
    team_.run(members.size(), [&](std::size_t j, std::size_t) {
      interrupt_.check();
      Tree tree = pool_.forest.member(candidate_[chosen_[j]]).tree.unpack();
      for (double& answer : own[j]) answer += centre_;
      tree.answer = std::move(own[j]);
      members[j] = {PackedTree(std::move(tree)), {}};
    });
    out_.forest = Forest(std::move(members));
  }

  const TreePool& pool_;
  const SmallPlan& plan_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  std::size_t k_, n_fit_ = 0;
  double centre_ = 0.0;                            // taken off numbers, which may be far from 0
  double low_ = kInfinity, high_ = -kInfinity;     // of the pool's answers: none may leave this range
  std::vector<std::vector<std::size_t>> of_kind_;  // members
  std::vector<RowIndex> kept_row_;
  OwnRows kept_, drawn_;
  std::vector<NodeId> kept_leaf_;                    // n kept rows * n trees
  std::vector<std::vector<std::uint8_t>> left_out_;  // by tree, then kept row
  std::vector<std::vector<double>> unseen_;          // by kind: answers for kept rows by trees that did not see them
  std::vector<std::vector<std::int32_t>> n_unseen_;
  Answers answers_;                        // by member, shrunk, less the centre
  std::vector<std::size_t> candidate_;     // members to choose from
  std::vector<std::size_t> chosen_;        // places among these, in the order of choice
  std::vector<double> wanted_;             // the pool's answers for drawn rows
  std::vector<std::vector<NodeId>> leaf_;  // by candidate, then drawn row
  SmallForest out_;
};

}  // namespace

SmallForest small_forest(const TreePool& pool, const SmallPlan& plan, ThreadTeam& team, Interrupt& interrupt) {
  return Maker(pool, plan, team, interrupt).make();
}

}  // namespace spinney
