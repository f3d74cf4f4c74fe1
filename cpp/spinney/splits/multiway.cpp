#include "spinney/splits/multiway.hpp"
#include "spinney/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spinney {

namespace {

constexpr std::size_t kTableSize = 1 << 16;
constexpr double kMeanSlack = 1e-3;      // C4.5: so far below the average gain a column may be
constexpr double kLeastRatio = 1e-6;     // nothing below this counts as a gain
constexpr std::size_t kMaxMerging = 64;  // groups that are merged pair by pair

/// Whether the run of equal values that begins here has more than one row, and so perhaps more than one class.
bool ties_follow(std::span<const Entry> entries, std::size_t i) {
  return i + 1 < entries.size() && entries[i + 1].tied();
}

}  // namespace

XLogX::XLogX(std::size_t n) : table_(std::min(n, kTableSize) + 1, 0.0) {
  for (std::size_t i = 2; i < table_.size(); ++i)
    table_[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
}

double XLogX::loss(std::span<const double> parts, double total) const {
  double sum = 0.0;
  for (const double part : parts) sum += (*this)(part);
  return (*this)(total)-sum;
}

/// Class weights of the entries into scratch.known; returns their sum.
double MultiwaySearch::known_totals(std::span<const Entry> entries, const MultiwayNode& node,
                                    MultiwayScratch& scratch) const {
  scratch.known.assign(n_classes_, 0.0);
  for (const Entry& entry : entries) {
    scratch.known[node.label[entry.sample()]] +=
        node.sample_weight.empty() ? node.unit : node.sample_weight[entry.sample()];
  }
  return std::accumulate(scratch.known.begin(), scratch.known.end(), 0.0);
}

/// The best cut of sorted entries, the first of equals. The penalty is what it takes to name the cut: log2 of the
/// number of cuts that the limits allow. Inside a run of rows of one class no cut can be best, unless it is the first
/// or the last that is allowed (entropy is concave): logarithms are taken where classes change only.
template <bool kUnit>
MultiwaySearch::BestCut MultiwaySearch::best_cut(std::span<const Entry> entries, std::span<const double> classes,
                                                 double weight, double least, const MultiwayNode& node,
                                                 MultiwayScratch& s) const {
  s.left.assign(n_classes_, 0.0);
  s.left_term.assign(n_classes_, 0.0);
  s.right_term.resize(n_classes_);
  double left_sum = 0.0, right_sum = 0.0, left_weight = 0.0, best_drop = -kInfinity;
  for (std::size_t c = 0; c < n_classes_; ++c) right_sum += s.right_term[c] = xlogx_(classes[c]);
  const double whole = xlogx_(weight) - right_sum, slack = tolerance::kDrop * node.weight;
  const double low = least - tolerance::kWeight, high = weight - least + tolerance::kWeight;
  const auto settle = [&](std::size_t c) {  // the terms of a class whose rows have moved to the left
    const double left_term = xlogx_(s.left[c]), right_term = xlogx_(classes[c] - s.left[c]);
    left_sum += left_term - s.left_term[c];
    right_sum += right_term - s.right_term[c];
    s.left_term[c] = left_term;
    s.right_term[c] = right_term;
  };
  const auto weight_of = [&](std::size_t i) { return kUnit ? node.unit : node.sample_weight[entries[i].sample()]; };
  BestCut best;
  std::size_t tries = 0, current = node.label[entries[0].sample()];
  double current_weight = weight_of(0);
  bool mixed = true;  // rows of another class have come in since the last cut that was allowed
  for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
    const std::size_t next = node.label[entries[i + 1].sample()];
    const double next_weight = weight_of(i + 1);
    s.left[current] += current_weight;
    left_weight += current_weight;
    if (next != current) settle(current);
    const bool allowed = left_weight >= low && left_weight <= high && !entries[i + 1].tied();
    if (allowed) {
      ++tries;
      const bool last = left_weight + next_weight > high || i + 2 == entries.size();
      if (mixed || next != current || tries == 1 || last || ties_follow(entries, i + 1)) {
        if (next == current) settle(current);
        const double right_weight = weight - left_weight;
        const auto drop = [&](double left, double right) { return whole - (left - left_sum) - (right - right_sum); };
        // Whole numbers are in a table; of others most cuts are ruled out without their logarithms. The bound is
        // too low by less than the slack.
        const bool hopeless = !kUnit && drop(xlogx_.at_least(left_weight), xlogx_.at_least(right_weight)) <= best_drop;
        const double exact = hopeless ? best_drop : drop(xlogx_(left_weight), xlogx_(right_weight));
        if (exact > best_drop + slack) {
          best_drop = exact;
          best.left = left_weight;
          best.position = static_cast<std::uint32_t>(i);
        }
      }
    }
    mixed = next != current ? true : mixed && !allowed;
    current = next;
    current_weight = next_weight;
  }
  if (tries > 0) best.drop = std::max(0.0, best_drop - std::log2(static_cast<double>(tries)));
  return best;
}

MultiwaySearch::BestCut MultiwaySearch::cut_interval(std::span<const Entry> entries, double least,
                                                     const MultiwayNode& node, MultiwayScratch& scratch) const {
  const double weight = known_totals(entries, node, scratch);
  return node.sample_weight.empty() ? best_cut<true>(entries, scratch.known, weight, least, node, scratch)
                                    : best_cut<false>(entries, scratch.known, weight, least, node, scratch);
}

/// Bits that name a row's branch; a gap is a branch of its own.
double MultiwaySearch::split_info(std::span<const double> branch_weights, double total) const {
  const double known = std::accumulate(branch_weights.begin(), branch_weights.end(), 0.0);
  return (xlogx_.loss(branch_weights, total) - xlogx_(total - known)) / total;
}

MultiwaySplit MultiwaySearch::numeric(FeatureIndex feature, std::span<const Entry> all, const MultiwayNode& node,
                                      MultiwayScratch& scratch) const {
  const auto entries = all.first(count_observed(all.data(), all.size()));
  MultiwaySplit split;
  split.constant = all_tied(entries);
  if (split.constant) return split;
  const double known = entries.size() == all.size() ? node.weight : known_totals(entries, node, scratch);
  // C4.5: a tenth of a class's even share, but not above 25.
  double least = 0.1 * known / static_cast<double>(n_classes_);
  least = least <= params_.min_branch ? params_.min_branch : std::min(least, 25.0);
  if (known < 2.0 * least - tolerance::kWeight) return split;
  const bool complete = entries.size() == all.size();
  const std::span<const double> classes = complete ? node.classes : std::span<const double>(scratch.known);
  const BestCut cut = node.sample_weight.empty() ? best_cut<true>(entries, classes, known, least, node, scratch)
                                                 : best_cut<false>(entries, classes, known, least, node, scratch);
  if (!(cut.drop > kLeastRatio * node.weight)) return split;
  split.found = true;
  split.gain = cut.drop / node.weight;
  split.test.kind = TestKind::threshold;
  split.test.feature = feature;
  split.last = {cut.position};
  const double sides[] = {cut.left, known - cut.left};
  split.split_info = split_info(sides, node.weight);
  if (params_.max_intervals > 2) cut_further(entries, least, node, split, scratch);
  return split;
}

/// Adds the cut that takes most loss away, as long as the gain ratio (or, without ratios, the gain) grows.
void MultiwaySearch::cut_further(std::span<const Entry> entries, double least, const MultiwayNode& node,
                                 MultiwaySplit& split, MultiwayScratch& scratch) const {
  while (split.last.size() + 1 < static_cast<std::size_t>(params_.max_intervals)) {
    BestCut best;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= split.last.size(); ++i) {
      const std::size_t end = i < split.last.size() ? split.last[i] + 1 : entries.size();
      BestCut cut = cut_interval(entries.subspan(begin, end - begin), least, node, scratch);
      cut.position += static_cast<std::uint32_t>(begin);
      if (cut.drop > best.drop + tolerance::kDrop * node.weight) best = cut;
      begin = end;
    }
    if (!(best.drop > kLeastRatio * node.weight)) return;
    MultiwaySplit finer = split;
    finer.gain += best.drop / node.weight;
    finer.last.insert(std::upper_bound(finer.last.begin(), finer.last.end(), best.position), best.position);
    scratch.group_weight.clear();
    begin = 0;
    for (std::size_t i = 0; i <= finer.last.size(); ++i) {
      const std::size_t end = i < finer.last.size() ? finer.last[i] + 1 : entries.size();
      scratch.group_weight.push_back(known_totals(entries.subspan(begin, end - begin), node, scratch));
      begin = end;
    }
    finer.split_info = split_info(scratch.group_weight, node.weight);
    if (params_.gain_ratio && !(finer.ratio() > split.ratio())) return;
    finer.test.kind = TestKind::multiway;
    split = std::move(finer);
  }
}

MultiwaySplit MultiwaySearch::nominal(FeatureIndex feature, std::span<const Entry> all, std::int32_t n_categories,
                                      const MultiwayNode& node, MultiwayScratch& s) const {
  const auto entries = all.first(count_observed(all.data(), all.size()));
  MultiwaySplit split;
  split.constant = all_tied(entries);
  if (split.constant) return split;
  s.counts.clear();
  s.group_weight.clear();
  s.codes.clear();
  for (std::size_t i = 0; i < entries.size();) {
    s.codes.push_back(static_cast<std::uint32_t>(
        params_.grouped ? category_of(node.data, node.samples, feature, entries[i].sample()) : 0));
    s.counts.resize(s.counts.size() + n_classes_, 0.0);
    double* counts = s.counts.data() + s.counts.size() - n_classes_;
    double weight = 0.0;
    for (const std::size_t begin = i; i < entries.size() && (i == begin || entries[i].tied()); ++i) {
      const double w = node.sample_weight.empty() ? node.unit : node.sample_weight[entries[i].sample()];
      counts[node.label[entries[i].sample()]] += w;
      weight += w;
    }
    s.group_weight.push_back(weight);
  }
  const auto enough = std::count_if(s.group_weight.begin(), s.group_weight.end(),
                                    [&](double w) { return w >= params_.min_branch - tolerance::kWeight; });
  const double lightest = *std::min_element(s.group_weight.begin(), s.group_weight.end());
  if (enough < 2 || lightest < params_.every_branch) return split;
  const double known = std::accumulate(s.group_weight.begin(), s.group_weight.end(), 0.0);
  s.known.assign(n_classes_, 0.0);
  double below = 0.0;
  for (std::size_t g = 0; g < s.codes.size(); ++g) {
    const std::span<const double> counts(s.counts.data() + g * n_classes_, n_classes_);
    for (std::size_t c = 0; c < n_classes_; ++c) s.known[c] += counts[c];
    below += xlogx_.loss(counts, s.group_weight[g]);
  }
  const double known_loss = xlogx_.loss(s.known, known);
  split.gain = std::max(0.0, (known_loss - below) / node.weight);
  split.split_info = split_info(s.group_weight, node.weight);
  split.found = true;  // a gain of nothing still counts in C4.5's average
  split.test.kind = TestKind::multiway;
  split.test.feature = feature;
  for (std::int32_t code = 0; code < n_categories; ++code) split.test.codes.emplace_back(code, code);
  if (params_.grouped) merge_groups(split, known_loss, node, s);
  return split;
}

namespace {

/// Groups of categories in the making: each with its class weights and codes.
struct Merging {
  std::size_t n_classes;
  std::vector<double> counts, weight, loss;
  std::vector<std::vector<std::uint32_t>> codes;
  std::size_t size() const { return weight.size(); }
  std::span<const double> of(std::size_t g) const { return {counts.data() + g * n_classes, n_classes}; }

  /// Group b joins group a.
  void merge(std::size_t a, std::size_t b, double merged_loss) {
    for (std::size_t c = 0; c < n_classes; ++c) counts[a * n_classes + c] += counts[b * n_classes + c];
    weight[a] += weight[b];
    loss[a] = merged_loss;
    codes[a].insert(codes[a].end(), codes[b].begin(), codes[b].end());
    const auto at = static_cast<std::ptrdiff_t>(b);
    counts.erase(counts.begin() + at * static_cast<std::ptrdiff_t>(n_classes),
                 counts.begin() + (at + 1) * static_cast<std::ptrdiff_t>(n_classes));
    weight.erase(weight.begin() + at);
    loss.erase(loss.begin() + at);
    codes.erase(codes.begin() + at);
  }
};

}  // namespace

/// Merges the two groups whose union has the best ratio, while the ratio does not fall. Of very many categories the
/// lightest are merged first into one group each for their most frequent class, so that the pairs stay few.
void MultiwaySearch::merge_groups(MultiwaySplit& split, double known_loss, const MultiwayNode& node,
                                  MultiwayScratch& s) const {
  Merging groups{n_classes_, s.counts, s.group_weight, {}, {}};
  for (std::size_t g = 0; g < s.codes.size(); ++g) {
    groups.loss.push_back(xlogx_.loss(groups.of(g), groups.weight[g]));
    groups.codes.push_back({s.codes[g]});
  }
  const auto merged_loss = [&](std::size_t a, std::size_t b) {
    s.left.assign(groups.of(a).begin(), groups.of(a).end());
    for (std::size_t c = 0; c < n_classes_; ++c) s.left[c] += groups.of(b)[c];
    return xlogx_.loss(s.left, groups.weight[a] + groups.weight[b]);
  };
  while (groups.size() > kMaxMerging) {
    // The lightest group joins the one that it resembles most: least loss added, the first of equals.
    const auto light =
        static_cast<std::size_t>(std::min_element(groups.weight.begin(), groups.weight.end()) - groups.weight.begin());
    std::size_t best = groups.size();
    double least = kInfinity;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (g == light) continue;
      const double added = merged_loss(std::min(g, light), std::max(g, light)) - groups.loss[g] - groups.loss[light];
      if (added < least) {
        least = added;
        best = g;
      }
    }
    const std::size_t a = std::min(best, light), b = std::max(best, light);
    groups.merge(a, b, merged_loss(a, b));
  }
  double below = std::accumulate(groups.loss.begin(), groups.loss.end(), 0.0);
  const auto value = [&](double loss_below, double info) {
    const double gain = (known_loss - loss_below) / node.weight;
    return params_.gain_ratio ? (info > 0.0 ? gain / info : 0.0) : gain;
  };
  double info = split_info(groups.weight, node.weight), current = value(below, info);
  while (groups.size() > 2) {
    double best_value = -kInfinity, best_loss = 0.0, best_info = 0.0;
    std::size_t best_a = 0, best_b = 0;
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) {
        const double loss = merged_loss(a, b), weight = groups.weight[a] + groups.weight[b];
        const double new_info =
            info - (xlogx_(weight) - xlogx_(groups.weight[a]) - xlogx_(groups.weight[b])) / node.weight;
        const double candidate = value(below + loss - groups.loss[a] - groups.loss[b], new_info);
        if (candidate > best_value + tolerance::kDrop) {
          best_value = candidate;
          best_loss = loss;
          best_info = new_info;
          best_a = a;
          best_b = b;
        }
      }
    }
    if (best_value < current - tolerance::kDrop) break;
    below += best_loss - groups.loss[best_a] - groups.loss[best_b];
    groups.merge(best_a, best_b, best_loss);
    info = best_info;
    current = best_value;
  }
  const auto enough = std::count_if(groups.weight.begin(), groups.weight.end(),
                                    [&](double w) { return w >= params_.min_branch - tolerance::kWeight; });
  if (enough < 2) return;  // one branch for each category it stays
  split.gain = std::max(0.0, (known_loss - below) / node.weight);
  split.split_info = split_info(groups.weight, node.weight);
  split.test.kind = groups.size() == 2 ? TestKind::subset : TestKind::multiway;
  split.test.codes.clear();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t code : groups.codes[g]) {
      split.test.codes.emplace_back(static_cast<std::int32_t>(code), static_cast<std::int32_t>(g));
    }
  }
  std::sort(split.test.codes.begin(), split.test.codes.end());
}

std::size_t choose_split(std::span<const MultiwaySplit> splits, std::span<const std::uint8_t> counts_in_mean,
                         const MultiwayParams& params) {
  double mean = 0.0;
  std::size_t n = 0, best = splits.size();
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (!splits[i].found || !counts_in_mean[i]) continue;
    mean += splits[i].gain;
    ++n;
  }
  if (params.gain_ratio && n == 0) return best;
  mean /= static_cast<double>(std::max<std::size_t>(n, 1));
  double most = params.without_gain ? -1.0 : kLeastRatio;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (!splits[i].found || (params.gain_ratio && splits[i].gain < mean - kMeanSlack)) continue;
    const double worth = params.gain_ratio ? splits[i].ratio() : splits[i].gain;
    if (worth > most + tolerance::kDrop * std::max(1.0, most)) {
      most = worth;
      best = i;
    }
  }
  return best;
}

}  // namespace spinney
