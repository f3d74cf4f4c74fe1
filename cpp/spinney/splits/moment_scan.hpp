#pragma once
// Cuts and subsets for any additive objective, from the moments of runs.

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

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
    s_.numbers.resize(parent.size());
    if (s_.tags.size() < capacity_) {
      s_.buffer_weight.resize(capacity_);
      s_.tags.resize(capacity_);
      s_.scores.resize(capacity_);
    }
    if (s_.buffer.size() < capacity_ * parent.size()) s_.buffer.resize(capacity_ * parent.size());
  }

  void push(const double* left, double weight, std::uint32_t tag) {
    double* const moments = s_.buffer.data() + n_ * parent_.size();
    for (std::size_t c = 0; c < parent_.size(); ++c) moments[c] = left[c];
    s_.buffer_weight[n_] = weight;
    s_.tags[n_] = tag;
    if (++n_ == capacity_) flush();
  }
  void flush() {
    if constexpr (requires { objective_.losses(parent_.data(), &weight_, std::size_t{1}, s_.scores.data()); }) {
      score_together();
    } else {
      for (std::size_t i = 0; i < n_; ++i) s_.scores[i] = score(i);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (s_.scores[i] > best_ + slack_) {
        best_ = s_.scores[i];
        tag_ = s_.tags[i];
      }
    }
    n_ = 0;
  }
  double best() const { return best_; }
  std::uint32_t tag() const { return tag_; }

 private:
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
    const std::size_t n = n_, k = parent_.size();
    if (n == 0) return;
    std::vector<double> moments(s_.buffer.data(), s_.buffer.data() + n * k), loss(2 * n);
    std::vector<double> weight(s_.buffer_weight.data(), s_.buffer_weight.data() + n);
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
  std::size_t capacity_, n_ = 0;
  Scratch& s_;
  double best_ = -kInfinity;
  std::uint32_t tag_ = 0;
};

/// The best of the cuts whose answers keep an order, from moments of the left side that are added up one by one.
template <AdditiveObjective O>
class OrderedCuts {
 public:
  /// parent: moments of the node; shift: what the search took off the answers.
  OrderedCuts(const O& objective, std::span<const double> parent, const Totals& totals, const AnswerOrder& order,
              double shift)
      : objective_(objective),
        k_(parent.size()),
        order_(order),
        weight_(totals.weight),
        slack_(totals.slack()),
        shift_(shift) {
    if (k_ > kMostMoments) throw std::logic_error("an objective has too many moments for monotone constraints");
    std::copy(parent.begin(), parent.end(), parent_.begin());
    if constexpr (!HasDrop<O>) parent_loss_ = objective.loss(parent_.data(), weight_);
  }

  /// Whether no cut can be allowed: the answer of both sides together lies between theirs.
  bool hopeless() const {
    if constexpr (requires { objective_.prior_time; }) {
      if (objective_.prior_time > 0.0) return false;  // each side is drawn to the prior by itself
    }
    return !order_.bounds.hold(answer(parent_, weight_));
  }
  void clear() {
    left_ = {};
    left_weight_ = 0.0;
  }
  void add(const Row& row) {
    objective_.add(row, left_.data());
    left_weight_ += row.weight;
  }
  void add(const double* moments, double weight) {
    for (std::size_t c = 0; c < k_; ++c) left_[c] += moments[c];
    left_weight_ += weight;
  }
  bool within(const Limits& limits) const {
    return left_weight_ >= limits.weight && weight_ - left_weight_ >= limits.weight;
  }
  /// Whether what was added may be one side, and the rest the other.
  bool allowed() {
    right_weight_ = weight_ - left_weight_;
    if (!(left_weight_ > 0.0) || !(right_weight_ > 0.0)) return false;
    for (std::size_t c = 0; c < k_; ++c) {
      right_[c] = parent_[c] - left_[c];
      if constexpr (O::kTask == Task::classes) right_[c] = std::max(0.0, right_[c]);
    }
    return order_.allows(answer(left_, left_weight_), answer(right_, right_weight_));
  }
  /// Takes the cut if it is allowed and better than all before.
  void judge(std::uint32_t position) {
    if (!allowed()) return;
    const double drop = this->drop();
    if (drop > best_.drop + slack_) best_ = {drop, position};
  }
  const Cut& best() const { return best_; }

 private:
  static constexpr std::size_t kMostMoments = 8;  // of two classes there are two, of numbers a few
  using Moments = std::array<double, kMostMoments>;

  double answer(const Moments& moments, double weight) const {
    if constexpr (O::kTask == Task::classes) {
      return moments[1] / weight;
    } else {
      return objective_.answer(moments.data(), weight) + shift_;
    }
  }
  double drop() const {
    if constexpr (HasDrop<O>) {
      return objective_.drop(left_.data(), left_weight_, right_.data(), right_weight_);
    } else {
      return parent_loss_ - objective_.loss(left_.data(), left_weight_) - objective_.loss(right_.data(), right_weight_);
    }
  }

  const O objective_;
  const std::size_t k_;
  const AnswerOrder order_;
  const double weight_, slack_, shift_;
  double parent_loss_ = 0.0, left_weight_ = 0.0, right_weight_ = 0.0;
  Moments parent_ = {}, left_ = {}, right_ = {};
  Cut best_;
};

template <AdditiveObjective O>
class MomentScan : public Scan, public GroupScan {
 public:
  MomentScan(O objective, const Samples& samples)
      : objective_(objective), samples_(samples), weight_(samples.search_weight()) {
    find_classes();
  }

  const GroupScan* groups() const override { return this; }

  Cut best_cut(std::span<const Entry> entries, const Totals& totals, const Limits& limits, Scratch& s) const override {
    const std::size_t k = n_moments();
    CandidateBlock block(objective_, parent_of(entries, totals, s.parent), totals, s);
    s.left.assign(k, 0.0);
    s.run.assign(k, 0.0);
    s.previous.assign(k, 0.0);
    double *const left = s.left.data(), *run = s.run.data(), *previous = s.previous.data();
    double left_weight = 0.0, previous_weight = 0.0;
    const std::size_t n = entries.size();
    std::size_t previous_begin = 0, first = n;
    const bool limited = limits.rows > 1 || limits.weight > 0.0;
    const auto allows = [&](std::size_t n_left, double weight) {
      return n_left > 0 && n_left >= limits.rows && n - n_left >= limits.rows && weight >= limits.weight &&
             totals.weight - weight >= limits.weight;
    };
    for (std::size_t i = 0; i < n;) {
      const std::size_t begin = i;
      for (std::size_t c = 0; c < k; ++c) run[c] = 0.0;
      double run_weight = 0.0;
      for (; i < n && (i == begin || entries[i].tied()); ++i) {
        const Row row = row_of(entries[i].sample(), totals.origin);
        objective_.add(row, run);
        run_weight += row.weight;
      }
      if (allows(begin, left_weight)) {
        if (first == n) first = begin - 1;
        // Inside a segment the drop is convex in the place of the cut: only its borders can be best, or the first
        // and last cut that the limits allow.
        const auto at_limit = [&] {
          return limited &&
                 (!allows(previous_begin, left_weight - previous_weight) || !allows(i, left_weight + run_weight));
        };
        if (!O::kStrictlyConcave || shares_differ(k, previous, previous_weight, run, run_weight) || at_limit())
          block.push(left, left_weight, static_cast<std::uint32_t>(begin - 1));
      }
      previous_begin = begin;
      for (std::size_t c = 0; c < k; ++c) left[c] += run[c];
      left_weight += run_weight;
      std::swap(previous, run);
      previous_weight = run_weight;
    }
    block.flush();
    // Without any gain all cuts are equal, and the first one may lie inside a segment.
    if (O::kStrictlyConcave && first < n && !(block.best() > totals.slack()))
      return {0.0, static_cast<std::uint32_t>(first)};
    return {block.best(), block.tag()};
  }

  Cut best_ordered_cut(const Cut& best, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                       Scratch& s) const override {
    OrderedCuts<O> cuts(objective_, parent_of(entries, totals, s.parent), totals, limits.order, shift(totals));
    if (cuts.hopeless()) return {};
    const auto add = [&](std::size_t i) { cuts.add(row_of(entries[i].sample(), totals.origin)); };
    for (std::size_t i = 0; i <= best.position; ++i) add(i);
    if (cuts.allowed()) return best;
    cuts.clear();
    for (std::size_t i = 0; i + limits.rows < entries.size(); ++i) {
      add(i);
      if (entries[i + 1].tied() || i + 1 < limits.rows) continue;
      if (cuts.within(limits)) cuts.judge(static_cast<std::uint32_t>(i));
    }
    return cuts.best();
  }

  double drop_of(const GivenCut& cut, const Totals& totals, const Limits& limits, Scratch& s) const override {
    const std::size_t k = n_moments();
    s.left.assign(k, 0.0);
    s.run.assign(k, 0.0);  // of the right side
    SideSums sides{s.left.data(), s.run.data()};
    add_sides(cut, totals, sides, s);
    s.parent.resize(k);
    if (limits.order.active()) {
      for (std::size_t c = 0; c < k; ++c) s.parent[c] = s.left[c] + s.run[c];
      OrderedCuts<O> cuts(objective_, s.parent, totals, limits.order, shift(totals));
      cuts.add(s.left.data(), sides.left_weight);
      if (!cuts.allowed()) return -kInfinity;
    }
    return drop_of_sides(sides, limits, s);
  }

  std::array<double, kRowLanes> drops_of(const GivenCuts& cuts, const Totals& totals, const Limits& limits,
                                         Scratch& s) const override {
    if (!counts_classes()) return Scan::drops_of(cuts, totals, limits, s);
    const std::size_t k = n_moments();
    s.left.resize(kRowLanes * k);
    s.run.resize(kRowLanes * k);
    s.parent.resize(k);
    std::array<double, kRowLanes> n_left = {}, drops;
    std::size_t begin = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const std::size_t end = class_end(cuts.members, c, begin);
      const auto n = count_left(cuts, begin, end);
      for (std::size_t lane = 0; lane < kRowLanes; ++lane) {
        s.left[lane * k + c] = n[lane] * weight_.unit;
        s.run[lane * k + c] = (static_cast<double>(end - begin) - n[lane]) * weight_.unit;
        n_left[lane] += n[lane];
      }
      begin = end;
    }
    const auto n = static_cast<double>(cuts.size());
    for (std::size_t lane = 0; lane < kRowLanes; ++lane) {
      const auto left = static_cast<std::size_t>(n_left[lane]);
      drops[lane] = drop_of_sides({s.left.data() + lane * k, s.run.data() + lane * k, left, cuts.size() - left,
                                   n_left[lane] * weight_.unit, (n - n_left[lane]) * weight_.unit},
                                  limits, s);
    }
    return drops;
  }

  Split best_nominal(FeatureIndex feature, std::span<const Entry> entries, const Totals& totals, const Limits& limits,
                     Scratch& s) const override {
    return best_by_groups(*this, feature, entries, totals, limits, s);
  }

  std::size_t n_moments() const override { return objective_.n_moments(); }

  void add_run(std::span<const Entry> run, const Totals& totals, double* moments, double& weight) const override {
    if (counts_two_classes()) return count_run(run, moments, weight);
    for (const Entry& entry : run) {
      const Row row = row_of(entry.sample(), totals.origin);
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
        keys[g] = key_of(groups.moments_of(g), groups.weight[g]);
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
      block.push(s.left.data(), weight, static_cast<std::uint32_t>(g));
    }
    block.flush();
    return {block.best(), block.tag()};
  }

  Cut best_ordered_group_cut(const Cut& best, const Groups& groups, const Totals& totals, const Limits& limits,
                             Scratch& s) const override {
    OrderedCuts<O> cuts(objective_, parent_of(groups, totals, s.parent), totals, limits.order, shift(totals));
    if (cuts.hopeless()) return {};
    for (std::size_t g = 0; g <= best.position; ++g) cuts.add(groups.moments_of(g), groups.weight[g]);
    if (cuts.allowed()) return best;
    cuts.clear();
    double rows = 0.0, all_rows = 0.0;
    for (const double n : groups.rows) all_rows += n;
    const auto least = static_cast<double>(limits.rows);
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      rows += groups.rows[g];
      cuts.add(groups.moments_of(g), groups.weight[g]);
      if (rows < least || all_rows - rows < least) continue;
      if (cuts.within(limits)) cuts.judge(static_cast<std::uint32_t>(g));
    }
    return cuts.best();
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
      block.push(s.left.data(), weight, mask);
    }
    block.flush();
    return {block.best(), block.tag()};
  }

  Totals totals_of(std::span<const Entry> entries, const Totals& node) const override {
    Totals totals{.classes = Numbers(node.classes.size()), .origin = node.origin, .loss = node.loss};
    if (counts_two_classes()) {
      count_run(entries, totals.classes.data(), totals.weight);
      return totals;
    }
    for (const Entry& entry : entries) {
      const Row row = row_of(entry.sample(), node.origin);
      if constexpr (O::kTask == Task::classes) objective_.add(row, totals.classes.data());
      totals.weight += row.weight;
    }
    return totals;
  }

 protected:
  /// By which groups of numbers are ordered.
  double key_of(const double* moments, double weight) const {
    if constexpr (HasKey<O>) {
      return objective_.key(moments, weight);
    } else {
      return objective_.answer(moments, weight);
    }
  }
  /// Whether the order forbids all cuts, as the answer of both sides together lies between theirs. Known without a look
  /// at the rows where the totals are of these very rows.
  bool hopeless(const Totals& totals, const AnswerOrder& order) const {
    if (!order.active()) return false;
    if constexpr (O::kTask == Task::classes) {
      return !order.bounds.hold(totals.classes[1] / totals.weight);
    } else {
      return totals.centred && !order.bounds.hold(totals.origin + samples_.y_shift);
    }
  }
  /// From answers in the search to those of users.
  double shift(const Totals& totals) const { return O::kShiftInvariant ? totals.origin + samples_.y_shift : 0.0; }
  Row row_of(SampleIndex s, double origin) const {
    if constexpr (O::kTask == Task::classes) {
      return {samples_.label[s], 0.0, weight_[s]};
    } else {
      return {0, samples_.y[s] - origin, weight_[s], O::kExposed ? samples_.exposure_of(s) : 1.0};
    }
  }

  /// Whether classes are counted: all samples weigh the same.
  bool counts_classes() const { return !class_begin_.empty() && weight_.is_equal(); }

  O objective_;
  const Samples& samples_;
  const SampleWeights& weight_;  // in the search
  /// Samples are numbered class by class: where each begins, if all weigh the same and can be counted.
  std::vector<SampleIndex> class_begin_;

 private:
  void find_classes() {
    if constexpr (O::kTask == Task::classes) {
      if (!weight_.is_equal() || !std::is_sorted(samples_.label.begin(), samples_.label.end())) return;
      for (std::size_t c = 0; c <= n_moments(); ++c) {
        const auto first = std::lower_bound(samples_.label.begin(), samples_.label.end(), c);
        class_begin_.push_back(static_cast<SampleIndex>(first - samples_.label.begin()));
      }
    }
  }
  /// Whether sums of weights are whole numbers, of two classes: they may be added up in any order.
  bool counts_two_classes() const {
    if (O::kTask != Task::classes || samples_.n_classes != 2 || weight_.unit != 1.0) return false;
    return weight_.is_equal() ? !class_begin_.empty() : weight_.form == SampleWeights::Form::multiples;
  }
  void count_run(std::span<const Entry> run, double* moments, double& weight) const {
    std::size_t units = run.size(), ones = 0;
    if (weight_.is_equal()) {
      ones = count_from(run, class_begin_[1]);
    } else {
      const std::uint8_t *const times = weight_.times.data(), *const is_one = samples_.is_one.data();
      units = 0;
      for (const Entry& entry : run) {
        units += times[entry.sample()];
        ones += times[entry.sample()] & (0U - is_one[entry.sample()]);
      }
    }
    moments[0] += static_cast<double>(units - ones);
    moments[1] += static_cast<double>(ones);
    weight += static_cast<double>(units);
  }
  /// What both sides of a division add up to.
  struct SideSums {
    double *left, *right;  // moments
    std::size_t n_left = 0, n_right = 0;
    double left_weight = 0.0, right_weight = 0.0;
  };
  double drop_of_sides(const SideSums& sides, const Limits& limits, Scratch& s) const {
    const double left = sides.left_weight, right = sides.right_weight;
    if (sides.n_left < limits.rows || sides.n_right < limits.rows) return -kInfinity;
    if (!(left > 0.0) || !(right > 0.0) || left < limits.weight || right < limits.weight) return -kInfinity;
    if constexpr (HasDrop<O>) {
      return objective_.drop(sides.left, left, sides.right, right);
    } else {
      for (std::size_t c = 0; c < s.parent.size(); ++c) s.parent[c] = sides.left[c] + sides.right[c];
      return objective_.loss(s.parent.data(), left + right) - objective_.loss(sides.left, left) -
             objective_.loss(sides.right, right);
    }
  }
  void add_sides(const GivenCut& cut, const Totals& totals, SideSums& sides, Scratch& s) const {
    if (counts_classes()) return count_classes(cut, sides);
    const auto [left, right] = part(cut, s);
    const auto add = [&](std::span<const SampleIndex> side, double* moments, double& weight) {
      for (const SampleIndex sample : side) {
        const Row row = row_of(sample, totals.origin);
        objective_.add(row, moments);
        weight += row.weight;
      }
    };
    add(left, sides.left, sides.left_weight);
    add(right, sides.right, sides.right_weight);
    sides.n_left = left.size();
    sides.n_right = right.size();
  }
  /// Where the samples of a class end among members, of which they begin at a place.
  std::size_t class_end(std::span<const SampleIndex> members, std::size_t c, std::size_t begin) const {
    if (c + 2 == class_begin_.size()) return members.size();
    const auto rest = members.subspan(begin);
    return begin + static_cast<std::size_t>(std::ranges::lower_bound(rest, class_begin_[c + 1]) - rest.begin());
  }
  void count_classes(const GivenCut& cut, SideSums& sides) const {
    std::size_t begin = 0;
    for (std::size_t c = 0; c < n_moments(); ++c) {
      const std::size_t end = class_end(cut.members, c, begin);
      const std::size_t n_left = count_left(cut.value + begin, end - begin, cut.threshold);
      sides.left[c] = static_cast<double>(n_left) * weight_.unit;
      sides.right[c] = static_cast<double>(end - begin - n_left) * weight_.unit;
      sides.n_left += n_left;
      begin = end;
    }
    sides.n_right = cut.size() - sides.n_left;
    sides.left_weight = static_cast<double>(sides.n_left) * weight_.unit;
    sides.right_weight = static_cast<double>(sides.n_right) * weight_.unit;
  }

  /// The moments of all entries: those that the node knows, or, of numbers, their sum.
  std::span<const double> parent_of(std::span<const Entry> entries, const Totals& totals,
                                    std::vector<double>& sums) const {
    if constexpr (O::kTask == Task::classes) {
      return totals.classes;
    } else {
      sums.assign(n_moments(), 0.0);
      for (const Entry& entry : entries) objective_.add(row_of(entry.sample(), totals.origin), sums.data());
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
