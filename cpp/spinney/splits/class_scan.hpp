#pragma once
// Cuts and subsets for any criterion of classification, from the class weights of runs.

#include <algorithm>
#include <bit>

#include "spinney/splits/moments.hpp"
#include "spinney/splits/scan.hpp"
#include "spinney/splits/segments.hpp"

namespace spinney {

/// Collects candidate left sides and scores them a block at a time: a user's function is called once per block,
/// a compiled criterion is inlined. The first of equals wins.
template <class Criterion>
class CandidateBlock {
 public:
  CandidateBlock(const Criterion& criterion, const Totals& totals, Scratch& scratch)
      : criterion_(criterion),
        totals_(totals),
        k_(static_cast<std::int32_t>(totals.classes.size())),
        parent_loss_(criterion.loss(totals.classes.data(), totals.weight, k_)),
        slack_(totals.slack()),
        capacity_(std::max<std::size_t>(1, 4096 / totals.classes.size())),
        s_(scratch) {
    s_.buffer.clear();
    s_.buffer_weight.clear();
    s_.tags.clear();
  }

  void push(const std::vector<double>& left, double weight, std::uint32_t tag) {
    s_.buffer.insert(s_.buffer.end(), left.begin(), left.end());
    s_.buffer_weight.push_back(weight);
    s_.tags.push_back(tag);
    if (s_.tags.size() == capacity_) flush();
  }
  void flush() {
    s_.scores.resize(s_.tags.size());
    s_.numbers.resize(static_cast<std::size_t>(k_));
    if constexpr (requires { criterion_.function; }) {
      score_together();
    } else {
      for (std::size_t i = 0; i < s_.tags.size(); ++i) s_.scores[i] = score(i);
    }
    for (std::size_t i = 0; i < s_.tags.size(); ++i) {
      if (s_.scores[i] > best_ + slack_) {
        best_ = s_.scores[i];
        tag_ = s_.tags[i];
      }
    }
    s_.buffer.clear();
    s_.buffer_weight.clear();
    s_.tags.clear();
  }
  double best() const { return best_; }
  std::uint32_t tag() const { return tag_; }

 private:
  /// Class weights on the right, in s_.numbers; returns their sum.
  double take_right(std::size_t i) {
    for (std::int32_t c = 0; c < k_; ++c) {
      s_.numbers[c] = std::max(0.0, totals_.classes[c] - s_.buffer[i * k_ + c]);
    }
    return totals_.weight - s_.buffer_weight[i];
  }
  double score(std::size_t i) {
    const double right = take_right(i), left = s_.buffer_weight[i];
    if (!(right > 0.0) || !(left > 0.0)) return -kInfinity;
    const double* counts = s_.buffer.data() + i * k_;
    if constexpr (requires { criterion_.drop(counts, left, counts, right, k_); }) {
      return criterion_.drop(counts, left, s_.numbers.data(), right, k_);
    } else {
      return parent_loss_ - criterion_.loss(counts, left, k_) - criterion_.loss(s_.numbers.data(), right, k_);
    }
  }
  void score_together() {
    const std::size_t n = s_.tags.size();
    if (n == 0) return;
    std::vector<double> shares(2 * n * k_), impurity(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const double right = take_right(i);
      for (std::int32_t c = 0; c < k_; ++c) {
        shares[i * k_ + c] = s_.buffer[i * k_ + c] / s_.buffer_weight[i];
        shares[(n + i) * k_ + c] = s_.numbers[c] / right;
      }
    }
    (*criterion_.function)(shares.data(), 2 * n, k_, impurity.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double left = s_.buffer_weight[i], right = totals_.weight - left;
      s_.scores[i] = parent_loss_ - left * impurity[i] - right * impurity[n + i];
    }
  }

  const Criterion& criterion_;
  const Totals& totals_;
  std::int32_t k_;
  double parent_loss_, slack_;
  std::size_t capacity_;
  Scratch& s_;
  double best_ = -kInfinity;
  std::uint32_t tag_ = 0;
};

template <class Criterion>
class ClassScan : public Scan {
 public:
  ClassScan(Criterion criterion, const Samples& samples) : criterion_(criterion), samples_(samples) {}

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const override {
    const std::size_t k = totals.classes.size();
    CandidateBlock block(criterion_, totals, s);
    s.left.assign(k, 0.0);
    s.previous.assign(k, 0.0);
    double left_weight = 0.0, previous_weight = 0.0;
    std::size_t previous_begin = 0, first = entries.size();
    for (std::size_t i = 0; i < entries.size();) {
      const std::size_t begin = i;
      s.run.assign(k, 0.0);
      double run_weight = 0.0;
      for (; i < entries.size() && entries[i].rank == entries[begin].rank; ++i) {
        const double w = samples_.split_weight_of(entries[i].sample);
        s.run[samples_.label[entries[i].sample]] += w;
        run_weight += w;
      }
      // Inside a segment the drop is convex in the place of the cut: only its borders can be best, or the first
      // and last cut that the limits allow.
      const auto allows = [&](std::size_t n_left, double weight) {
        return n_left > 0 && n_left >= limits.rows && entries.size() - n_left >= limits.rows &&
               weight >= limits.weight && totals.weight - weight >= limits.weight;
      };
      const bool at_limit =
          !allows(previous_begin, left_weight - previous_weight) || !allows(i, left_weight + run_weight);
      const bool limited = limits.rows > 1 || limits.weight > 0.0;
      if (Criterion::kConcave && first == entries.size() && allows(begin, left_weight)) first = begin - 1;
      if (allows(begin, left_weight) && (!Criterion::kConcave || (limited && at_limit) ||
                                         shares_differ(s.previous, previous_weight, s.run, run_weight))) {
        block.push(s.left, left_weight, static_cast<std::uint32_t>(begin - 1));
      }
      previous_begin = begin;
      for (std::size_t c = 0; c < k; ++c) s.left[c] += s.run[c];
      left_weight += run_weight;
      s.previous.swap(s.run);
      previous_weight = run_weight;
    }
    block.flush();
    // Without any gain all cuts are equal, and the first one may lie inside a segment.
    if (first < entries.size() && !(block.best() > totals.slack())) return {0.0, static_cast<std::uint32_t>(first)};
    return {block.best(), block.tag()};
  }

  void order_runs(std::span<const Entry>, std::span<const Run>, std::vector<double>&, Scratch&) const override {}

  std::size_t n_moments() const override { return static_cast<std::size_t>(samples_.n_classes); }

  void add_run(std::span<const Entry> run, const Totals&, double* moments, double& weight) const override {
    for (const Entry& entry : run) {
      const double w = samples_.split_weight_of(entry.sample);
      moments[samples_.label[entry.sample]] += w;
      weight += w;
    }
  }

  /// Two classes: by the share of the first. More: along the first principal component.
  void order_groups(const Groups& groups, std::vector<double>& keys) const override {
    keys.resize(groups.size());
    if (groups.k == 2) {
      for (std::size_t g = 0; g < groups.size(); ++g) keys[g] = groups.moments_of(g)[0] / groups.weight[g];
    } else {
      principal_component(groups, keys);
    }
  }

  Cut best_group_cut(const Groups& groups, const Totals& totals, const Limits& limits, Scratch& s) const override {
    CandidateBlock block(criterion_, totals, s);
    s.left.assign(groups.k, 0.0);
    double rows = 0.0, all_rows = 0.0, weight = 0.0;
    for (const double n : groups.rows) all_rows += n;
    const auto least = static_cast<double>(limits.rows);
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      rows += groups.rows[g];
      weight += groups.weight[g];
      for (std::size_t c = 0; c < groups.k; ++c) s.left[c] += groups.moments_of(g)[c];
      if (rows < least || all_rows - rows < least) continue;
      if (weight < limits.weight || totals.weight - weight < limits.weight) continue;
      block.push(s.left, weight, static_cast<std::uint32_t>(g));
    }
    block.flush();
    return {block.best(), block.tag()};
  }

  bool needs_subsets() const override { return samples_.n_classes > 2 || !(Criterion::kConcave || kOrderedIsEnough); }

  /// All subsets by Gray code: neighbours differ in one group, so each costs one update. The last group stays right.
  Subset best_subset(const Groups& groups, const Totals& totals, const Limits& limits, Scratch& s) const override {
    CandidateBlock block(criterion_, totals, s);
    s.left.assign(groups.k, 0.0);
    double rows = 0.0, all_rows = 0.0;
    for (const double n : groups.rows) all_rows += n;
    const auto least = static_cast<double>(limits.rows);
    std::uint32_t mask = 0;
    for (std::uint32_t step = 1; step < std::uint32_t{1} << (groups.size() - 1); ++step) {
      const int g = std::countr_zero(step);
      mask ^= std::uint32_t{1} << g;
      const double sign = mask >> g & 1 ? 1.0 : -1.0;
      rows += sign * groups.rows[g];
      for (std::size_t c = 0; c < groups.k; ++c) s.left[c] += sign * groups.moments_of(g)[c];
      if (rows < least || all_rows - rows < least) continue;
      double weight = 0.0;
      for (std::size_t c = 0; c < groups.k; ++c) weight += s.left[c];
      if (weight < limits.weight || totals.weight - weight < limits.weight) continue;
      block.push(s.left, weight, mask);
    }
    block.flush();
    return {block.best(), block.tag()};
  }

  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override {
    Totals totals;
    totals.loss = node.loss;
    totals.classes.assign(node.classes.size(), 0.0);
    for (const Entry& entry : entries) {
      const double w = samples_.split_weight_of(entry.sample);
      totals.classes[samples_.label[entry.sample]] += w;
      totals.weight += w;
    }
    return totals;
  }

 protected:
  // With two classes twoing is Gini in disguise: ordering the categories finds its best subset too.
  static constexpr bool kOrderedIsEnough = std::is_same_v<Criterion, Twoing> || std::is_same_v<Criterion, CostGini>;

  /// Too many categories for all subsets: their class shares along the first principal component (Coppersmith,
  /// Hong and Hosking 1999), by power iteration.
  static void principal_component(const Groups& groups, std::vector<double>& keys) {
    const std::size_t k = groups.k;
    std::vector<double> shares(groups.moments), mean(k, 0.0), axis(k), next(k);
    double total = 0.0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t c = 0; c < k; ++c) mean[c] += groups.moments_of(g)[c];
      for (std::size_t c = 0; c < k; ++c) shares[g * k + c] /= groups.weight[g];
      total += groups.weight[g];
    }
    for (double& m : mean) m /= total;
    for (std::size_t c = 0; c < k; ++c) axis[c] = 1.0 / static_cast<double>(c + 1);
    const auto project = [&](std::size_t g) {
      double dot = 0.0;
      for (std::size_t c = 0; c < k; ++c) dot += (shares[g * k + c] - mean[c]) * axis[c];
      return dot;
    };
    for (int iteration = 0; iteration < 30; ++iteration) {
      std::fill(next.begin(), next.end(), 0.0);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const double pull = groups.weight[g] * project(g);
        for (std::size_t c = 0; c < k; ++c) next[c] += pull * (shares[g * k + c] - mean[c]);
      }
      double norm = 0.0;
      for (const double x : next) norm += x * x;
      if (!(norm > 0.0)) break;
      for (std::size_t c = 0; c < k; ++c) axis[c] = next[c] / std::sqrt(norm);
    }
    for (std::size_t g = 0; g < groups.size(); ++g) keys[g] = project(g);
  }

  Criterion criterion_;
  const Samples& samples_;
};

}  // namespace spinney
