#include "spinney/forest/small_teacher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "spinney/parallel.hpp"
#include "spinney/tree/shrink.hpp"

namespace spinney {

namespace {

constexpr std::size_t kMostKept = 16384;
constexpr std::size_t kBlock = 64;
constexpr int kMixes = 10;  // shares of kinds are multiples of one part in so many
constexpr std::array kPowers{0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0};
constexpr double kLeastShare = 1e-3;  // of a class where probabilities are judged by their logarithm

/// What trees of a kind answer for kept rows that they did not see.
struct Unseen {
  std::vector<double> mean;  // n kept rows * n_outputs
  std::vector<std::int32_t> n;
};

class Teaching {
 public:
  Teaching(const TreePool& pool, const KeptRows& kept, ThreadTeam& team, Interrupt& interrupt)
      : pool_(pool), kept_(kept), team_(team), interrupt_(interrupt), k_(pool.target.n_outputs()) {
    out_.of_kind.resize(std::size_t{1} + *std::max_element(pool.kind.begin(), pool.kind.end()));
    for (std::size_t i = 0; i < pool.kind.size(); ++i) out_.of_kind[pool.kind[i]].push_back(i);
    out_.answers.resize(pool.kind.size());
    if (pool.target.n_classes == 0) out_.centre = pool.target.y[kept.row.front()];
  }

  Teacher teach(std::span<const double> strengths) {
    for (const std::vector<std::size_t>& own : out_.of_kind) shrink(own, strengths);
    choose_shares();
    if (pool_.target.n_classes > 0) choose_power();
    std::vector<double> answer(k_);
    out_.loss = loss_of_all([&](std::size_t slot) {
      mix(slot, answer.data());
      if (pool_.target.n_classes > 0) sharpen(answer.data(), k_, out_.power);
      return squared_error(slot, answer.data());
    });
    return std::move(out_);
  }

 private:
  double truth(std::size_t slot, std::size_t c) const {
    const RowIndex row = kept_.row[slot];
    if (pool_.target.n_classes == 0) return pool_.target.y[row] - out_.centre;
    return static_cast<std::size_t>(pool_.target.codes[row]) == c ? 1.0 : 0.0;
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
  void shrink(const std::vector<std::size_t>& own, std::span<const double> strengths) {
    std::vector<Tree> trees(own.size());
    team_.run(trees.size(), [&](std::size_t i, std::size_t) { trees[i] = pool_.forest.member(own[i]).tree.unpack(); });
    const auto answers = [&](std::size_t i, double strength) {
      interrupt_.check();
      std::vector<double> said = shrunk_answers(trees[i], strength);
      for (double& answer : said) answer -= out_.centre;
      return said;
    };
    std::vector<double> losses(strengths.size());
    team_.run(strengths.size(), [&](std::size_t s, std::size_t) {
      Unseen unseen = nothing();
      for (std::size_t i = 0; i < own.size(); ++i) add(own[i], answers(i, strengths[s]), unseen);
      losses[s] = loss_of(std::move(unseen));
    });
    std::size_t best = 0;
    for (std::size_t s = 1; s < losses.size(); ++s) {
      if (losses[s] < losses[best]) best = s;
    }
    out_.strength.push_back(strengths[best]);
    team_.run(own.size(), [&](std::size_t i, std::size_t) { out_.answers[own[i]] = answers(i, strengths[best]); });
    unseen_.push_back(nothing());
    for (const std::size_t member : own) add(member, out_.answers[member], unseen_.back());
    divide(unseen_.back());
  }

  Unseen nothing() const {
    return {std::vector<double>(kept_.row.size() * k_), std::vector<std::int32_t>(kept_.row.size())};
  }

  /// Adds what a tree answers for rows that it did not see.
  void add(std::size_t member, const std::vector<double>& answers, Unseen& to) const {
    const std::vector<NodeId>& leaf = kept_.leaf[member];
    for (std::size_t slot = 0; slot < leaf.size(); ++slot) {
      if (!kept_.left_out[member][slot]) continue;
      const double* const own = answers.data() + static_cast<std::size_t>(leaf[slot]) * k_;
      for (std::size_t c = 0; c < k_; ++c) to.mean[slot * k_ + c] += own[c];
      ++to.n[slot];
    }
  }

  void divide(Unseen& unseen) const {
    for (std::size_t i = 0; i < unseen.mean.size(); ++i) {
      if (unseen.n[i / k_] > 0) unseen.mean[i] /= unseen.n[i / k_];
    }
  }

  /// The mean cost of rows that count; NaN if there is none.
  template <class Counts, class Cost>
  double mean_cost(const Counts& counts, const Cost& cost) const {
    double total = 0.0, weight = 0.0;
    for (std::size_t slot = 0; slot < kept_.row.size(); ++slot) {
      if (!counts(slot)) continue;
      const RowIndex row = kept_.row[slot];
      const double w = pool_.target.weight[row] * (pool_.target.n_classes > 0 ? pool_.target.scale_of(row) : 1.0);
      total += w * cost(slot);
      weight += w;
    }
    return weight > 0.0 ? total / weight : kNaN;
  }

  double loss_of(Unseen unseen) const {
    divide(unseen);
    return mean_cost([&](std::size_t slot) { return unseen.n[slot] > 0; },
                     [&](std::size_t slot) { return squared_error(slot, unseen.mean.data() + slot * k_); });
  }

  /// The mean cost of rows that some tree of each kind left out.
  template <class Cost>
  double loss_of_all(const Cost& cost) const {
    const auto counts = [&](std::size_t slot) {
      return std::all_of(unseen_.begin(), unseen_.end(), [&](const Unseen& kind) { return kind.n[slot] > 0; });
    };
    return mean_cost(counts, cost);
  }

  void mix(std::size_t slot, double* answer) const {
    std::fill_n(answer, k_, 0.0);
    for (std::size_t kind = 0; kind < unseen_.size(); ++kind) {
      for (std::size_t c = 0; c < k_; ++c) answer[c] += out_.share[kind] * unseen_[kind].mean[slot * k_ + c];
    }
  }

  /// Tries all shares that are multiples of one part. The loss of a mean is a sum over pairs of kinds of mean products
  /// of their errors, so rows are passed once a pair.
  void choose_shares() {
    const std::size_t n = unseen_.size();
    std::vector<double> products(n * n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        products[a * n + b] = products[b * n + a] = loss_of_all([&](std::size_t slot) {
          const double *const one = unseen_[a].mean.data() + slot * k_, *const other =
                                                                            unseen_[b].mean.data() + slot * k_;
          double sum = 0.0;
          for (std::size_t c = 0; c < k_; ++c) sum += (one[c] - truth(slot, c)) * (other[c] - truth(slot, c));
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

  void choose_power() {
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> answer(k_);
    for (const double power : kPowers) {
      const double now = loss_of_all([&](std::size_t slot) {
        mix(slot, answer.data());
        sharpen(answer.data(), k_, power);
        double total = 0.0;
        for (const double share : answer) total += std::max(share, kLeastShare);
        return -std::log(std::max(answer[pool_.target.codes[kept_.row[slot]]], kLeastShare) / total);
      });
      if (now < least) {
        least = now;
        out_.power = power;
      }
    }
  }

  const TreePool& pool_;
  const KeptRows& kept_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  std::size_t k_;
  std::vector<Unseen> unseen_;  // by kind
  Teacher out_;
};

}  // namespace

KeptRows keep_rows(const TreePool& pool, ThreadTeam& team, Interrupt& interrupt) {
  const Target& target = pool.target;
  std::vector<RowIndex> used;
  for (std::size_t row = 0; row < target.n_rows(); ++row) {
    if (target.weight[row] > 0.0) used.push_back(static_cast<RowIndex>(row));
  }
  const std::size_t n_columns = pool.x.n_columns, wide = std::max(target.n_outputs(), n_columns);
  const std::size_t most = std::min(kMostKept, std::max<std::size_t>(kMostNumbers / wide, kBlock));
  const std::size_t step = (used.size() + most - 1) / most;
  KeptRows out;
  for (std::size_t i = 0; i < used.size(); i += step) out.row.push_back(used[i]);
  out.table = {out.row.size(), n_columns, std::vector<double>(out.row.size() * n_columns)};
  for (std::size_t slot = 0; slot < out.row.size(); ++slot) {
    for (std::size_t c = 0; c < n_columns; ++c) out.table.value[slot * n_columns + c] = pool.x.at(out.row[slot], c);
  }
  std::vector<std::int64_t> everyone(pool.forest.size());
  std::iota(everyone.begin(), everyone.end(), std::int64_t{0});
  out.leaf = pool.forest.leaves(everyone, out.table.all(), {team.size(), interrupt});
  out.left_out.resize(everyone.size());
  team.run(everyone.size(), [&](std::size_t i, std::size_t) {
    interrupt.check();
    const std::vector<double> counts = pool.sampling.counts_by_row(target, i);
    for (const RowIndex row : out.row) out.left_out[i].push_back(counts[row] == 0.0);
  });
  return out;
}

Teacher teach(const TreePool& pool, const KeptRows& kept, std::span<const double> strengths, ThreadTeam& team,
              Interrupt& interrupt) {
  return Teaching(pool, kept, team, interrupt).teach(strengths);
}

void sharpen(double* shares, std::size_t k, double power) {
  double total = 0.0;
  for (std::size_t c = 0; c < k; ++c) total += shares[c] = std::pow(std::max(shares[c], 1e-6), power);
  for (std::size_t c = 0; c < k; ++c) shares[c] /= total;
}

}  // namespace spinney
