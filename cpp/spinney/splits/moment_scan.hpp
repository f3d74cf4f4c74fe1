#pragma once
// Cuts and subsets for any additive objective, from the moments of runs.

#include <algorithm>
#include <bit>

#include "spinney/splits/principal.hpp"
#include "spinney/splits/scan.hpp"
#include "spinney/splits/segments.hpp"

namespace spinney {

/// Collects candidate left sides and scores them a block at a time: a user's function is called once per block,
/// a compiled objective is inlined. The first of equals wins.
template <AdditiveObjective O>
class CandidateBlock {
 public:
  /// parent: moments of the node, which outlive the block.
  CandidateBlock(const O& objective, std::span<const double> parent, const Totals& totals, Scratch& scratch)
      : objective_(objective),
        parent_(parent),
        weight_(totals.weight),
        slack_(totals.slack()),
        capacity_(std::max<std::size_t>(1, 4096 / parent.size())),
        s_(scratch) {
    if constexpr (!HasDrop<O>) parent_loss_ = objective.loss(parent.data(), weight_);
    clear();
  }

  void push(const std::vector<double>& left, double weight, std::uint32_t tag) {
    s_.buffer.insert(s_.buffer.end(), left.begin(), left.end());
    s_.buffer_weight.push_back(weight);
    s_.tags.push_back(tag);
    if (s_.tags.size() == capacity_) flush();
  }
  void flush() {
    s_.scores.resize(s_.tags.size());
    if constexpr (requires { objective_.losses(parent_.data(), &weight_, std::size_t{1}, s_.scores.data()); }) {
      score_together();
    } else {
      s_.numbers.resize(parent_.size());
      for (std::size_t i = 0; i < s_.tags.size(); ++i) s_.scores[i] = score(i);
    }
    for (std::size_t i = 0; i < s_.tags.size(); ++i) {
      if (s_.scores[i] > best_ + slack_) {
        best_ = s_.scores[i];
        tag_ = s_.tags[i];
      }
    }
    clear();
  }
  double best() const { return best_; }
  std::uint32_t tag() const { return tag_; }

 private:
  void clear() {
    s_.buffer.clear();
    s_.buffer_weight.clear();
    s_.tags.clear();
  }
  /// Moments on the right of candidate i. A difference of class weights may fall below 0 by rounding.
  void take_right(std::size_t i, double* right) const {
    const double* left = s_.buffer.data() + i * parent_.size();
    for (std::size_t c = 0; c < parent_.size(); ++c) {
      right[c] = parent_[c] - left[c];
      if constexpr (O::kTask == Task::classes) right[c] = std::max(0.0, right[c]);
    }
  }
  double score(std::size_t i) {
    const double left = s_.buffer_weight[i], right = weight_ - left;
    if (!(right > 0.0) || !(left > 0.0)) return -kInfinity;
    take_right(i, s_.numbers.data());
    const double* moments = s_.buffer.data() + i * parent_.size();
    if constexpr (HasDrop<O>) {
      return objective_.drop(moments, left, s_.numbers.data(), right);
    } else {
      return parent_loss_ - objective_.loss(moments, left) - objective_.loss(s_.numbers.data(), right);
    }
  }
  /// All left sides, then all right sides, in one call.
  void score_together() {
    const std::size_t n = s_.tags.size(), k = parent_.size();
    if (n == 0) return;
    std::vector<double> moments(s_.buffer), weight(s_.buffer_weight), loss(2 * n);
    moments.resize(2 * n * k);
    for (std::size_t i = 0; i < n; ++i) {
      take_right(i, moments.data() + (n + i) * k);
      weight.push_back(weight_ - weight[i]);
    }
    objective_.losses(moments.data(), weight.data(), 2 * n, loss.data());
    for (std::size_t i = 0; i < n; ++i) s_.scores[i] = parent_loss_ - loss[i] - loss[n + i];
  }

  const O& objective_;
  std::span<const double> parent_;
  double weight_, parent_loss_ = 0.0, slack_;
  std::size_t capacity_;
  Scratch& s_;
  double best_ = -kInfinity;
  std::uint32_t tag_ = 0;
};

template <AdditiveObjective O>
class MomentScan : public Scan, public GroupScan {
 public:
  MomentScan(O objective, const Samples& samples)
      : objective_(objective), samples_(samples), weight_(samples.search_weight()) {}

  const GroupScan* groups() const override { return this; }

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const override {
    const std::size_t k = n_moments();
    CandidateBlock block(objective_, parent_of(entries, totals, s.parent), totals, s);
    s.left.assign(k, 0.0);
    s.previous.assign(k, 0.0);
    double left_weight = 0.0, previous_weight = 0.0;
    std::size_t previous_begin = 0, first = entries.size();
    for (std::size_t i = 0; i < entries.size();) {
      const std::size_t begin = i;
      s.run.assign(k, 0.0);
      double run_weight = 0.0;
      for (; i < entries.size() && entries[i].rank == entries[begin].rank; ++i) {
        const Row row = row_of(entries[i].sample, totals.origin);
        objective_.add(row, s.run.data());
        run_weight += row.weight;
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
      if (O::kStrictlyConcave && first == entries.size() && allows(begin, left_weight)) first = begin - 1;
      if (allows(begin, left_weight) && (!O::kStrictlyConcave || (limited && at_limit) ||
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

  Split best_nominal(FeatureIndex feature, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                     Scratch& s) const override {
    return best_by_groups(*this, feature, entries, totals, limits, s);
  }

  std::size_t n_moments() const override { return objective_.n_moments(); }

  void add_run(std::span<const Entry> run, const Totals& totals, double* moments, double& weight) const override {
    for (const Entry& entry : run) {
      const Row row = row_of(entry.sample, totals.origin);
      objective_.add(row, moments);
      weight += row.weight;
    }
  }

  /// Two classes: by the share of the first. More: along the first principal component. Numbers: by their answers.
  void order_groups(const Groups& groups, std::vector<double>& keys) const override {
    keys.resize(groups.size());
    if (O::kTask == Task::classes && groups.k > 2) return principal_component(groups, keys);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if constexpr (O::kTask == Task::numbers) {
        keys[g] = objective_.answer(groups.moments_of(g), groups.weight[g]);
      } else {
        keys[g] = groups.moments_of(g)[0] / groups.weight[g];
      }
    }
  }

  Cut best_group_cut(const Groups& groups, const Totals& totals, const Limits& limits, Scratch& s) const override {
    CandidateBlock block(objective_, parent_of(groups, totals, s.parent), totals, s);
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

  bool needs_subsets() const override {
    return !O::kOrderIsEnough || (O::kTask == Task::classes && samples_.n_classes > 2);
  }

  /// All subsets by Gray code: neighbours differ in one group, so each costs one update. The last group stays right.
  Subset best_subset(const Groups& groups, const Totals& totals, const Limits& limits, Scratch& s) const override {
    CandidateBlock block(objective_, parent_of(groups, totals, s.parent), totals, s);
    s.left.assign(groups.k, 0.0);
    double rows = 0.0, all_rows = 0.0, left_weight = 0.0;
    for (const double n : groups.rows) all_rows += n;
    const auto least = static_cast<double>(limits.rows);
    std::uint32_t mask = 0;
    for (std::uint32_t step = 1; step < std::uint32_t{1} << (groups.size() - 1); ++step) {
      const int g = std::countr_zero(step);
      mask ^= std::uint32_t{1} << g;
      const double sign = mask >> g & 1 ? 1.0 : -1.0;
      rows += sign * groups.rows[g];
      left_weight += sign * groups.weight[g];
      for (std::size_t c = 0; c < groups.k; ++c) s.left[c] += sign * groups.moments_of(g)[c];
      if (rows < least || all_rows - rows < least) continue;
      const double weight = weight_of(s.left, left_weight);
      if (weight < limits.weight || totals.weight - weight < limits.weight) continue;
      block.push(s.left, weight, mask);
    }
    block.flush();
    return {block.best(), block.tag()};
  }

  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override {
    Totals totals{.classes = std::vector<double>(node.classes.size(), 0.0), .origin = node.origin, .loss = node.loss};
    for (const Entry& entry : entries) {
      const Row row = row_of(entry.sample, node.origin);
      if constexpr (O::kTask == Task::classes) objective_.add(row, totals.classes.data());
      totals.weight += row.weight;
    }
    return totals;
  }

 protected:
  Row row_of(SampleIndex s, double origin) const {
    if constexpr (O::kTask == Task::classes) {
      return {samples_.label[s], 0.0, weight_[s]};
    } else {
      return {0, samples_.y[s] - origin, weight_[s]};
    }
  }

  O objective_;
  const Samples& samples_;
  const SampleWeights& weight_;  // in the search

 private:
  /// The moments of all entries: those that the node knows, or, of numbers, their sum.
  std::span<const double> parent_of(std::span<const Entry> entries, const Totals& totals,
                                    std::vector<double>& sums) const {
    if constexpr (O::kTask == Task::classes) {
      return totals.classes;
    } else {
      sums.assign(n_moments(), 0.0);
      for (const Entry& entry : entries) objective_.add(row_of(entry.sample, totals.origin), sums.data());
      return sums;
    }
  }
  std::span<const double> parent_of(const Groups& groups, const Totals& totals, std::vector<double>& sums) const {
    if constexpr (O::kTask == Task::classes) {
      return totals.classes;
    } else {
      sums.assign(groups.k, 0.0);
      for (std::size_t i = 0; i < groups.moments.size(); ++i) sums[i % groups.k] += groups.moments[i];
      return sums;
    }
  }
  /// Class weights tell their sum; what was added to it and taken off again would leave rounding behind.
  static double weight_of(const std::vector<double>& moments, double added_up) {
    if constexpr (O::kTask == Task::classes) {
      double weight = 0.0;
      for (const double w : moments) weight += w;
      return weight;
    } else {
      return added_up;
    }
  }
};

}  // namespace spinney
