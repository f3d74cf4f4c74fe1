#include "spinney/forest/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace spinney {

namespace {

enum Purpose : std::uint64_t { kRows = 1, kFeatures, kTargets, kGrowth, kParts };

RandomStream stream(std::uint64_t seed, Purpose purpose, std::uint64_t member) {
  return RandomStream(RandomStream(seed, purpose).next(), member);
}

/// The first `size` places of a random order of 0 .. n - 1.
template <class Index>
std::vector<Index> draw_without_replacement(std::size_t n, std::size_t size, RandomStream& random) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = 0; i < size; ++i) std::swap(order[i], order[i + random.below(n - i)]);
  order.resize(size);
  return order;
}

}  // namespace

std::vector<double> Sampling::counts(std::size_t n_rows, std::uint64_t member) const {
  RandomStream random = stream(seed, kRows, member);
  const auto n_drawn = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
  std::vector<double> counts(n_rows, kind == SamplingKind::all ? 1.0 : 0.0);
  switch (kind) {
    case SamplingKind::all: break;
    case SamplingKind::bootstrap:
      for (std::size_t i = 0; i < n_drawn; ++i) counts[random.below(n_rows)] += 1.0;
      break;
    case SamplingKind::subsample:
      for (const SampleIndex s : draw_without_replacement<SampleIndex>(n_rows, std::min(n_drawn, n_rows), random))
        counts[s] = 1.0;
      break;
    case SamplingKind::partition:
    case SamplingKind::overlap: {
      // Members that share a round of parts share the order of the rows.
      const auto parts = static_cast<std::uint64_t>(n_parts);
      RandomStream shared = stream(seed, kParts, member / parts);
      const auto order = draw_without_replacement<SampleIndex>(n_rows, n_rows, shared);
      const std::size_t begin = n_rows * (member % parts) / parts, end = n_rows * (member % parts + 1) / parts;
      const bool inside = kind == SamplingKind::partition;
      for (std::size_t i = 0; i < n_rows; ++i) counts[order[i]] = (i >= begin && i < end) == inside ? 1.0 : 0.0;
      break;
    }
    case SamplingKind::wagging:
      for (double& count : counts) count = -std::log(random.uniform());
      break;
  }
  return counts;
}

std::vector<FeatureIndex> Sampling::features(std::size_t n_columns, std::uint64_t member) const {
  const auto n_drawn = static_cast<std::size_t>(std::abs(n_features));
  if (n_features == 0 || (n_features > 0 && n_drawn >= n_columns)) return {};
  RandomStream random = stream(seed, kFeatures, member);
  std::vector<FeatureIndex> drawn;
  if (n_features > 0) {
    drawn = draw_without_replacement<FeatureIndex>(n_columns, n_drawn, random);
  } else {
    for (std::size_t i = 0; i < n_drawn; ++i) drawn.push_back(static_cast<FeatureIndex>(random.below(n_columns)));
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

std::vector<std::int32_t> Sampling::groups(std::int32_t n_classes, std::uint64_t member) const {
  if (targets != TargetChange::regroup || n_classes < 2) return {};
  RandomStream random = stream(seed, kTargets, member);
  std::vector<std::int32_t> order(n_classes), group(n_classes, 0);
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t c = n_classes; c > 1; --c) std::swap(order[c - 1], order[random.below(c)]);
  // One class each first, the others by the toss of a coin.
  for (std::int32_t i = 0; i < n_classes; ++i) group[order[i]] = i < 2 ? i : static_cast<std::int32_t>(random.below(2));
  return group;
}

std::vector<std::int32_t> Sampling::flipped(std::span<const std::int32_t> codes, std::int32_t n_classes,
                                            std::uint64_t member) const {
  if (targets != TargetChange::flip || n_classes < 2) return {};
  RandomStream random = stream(seed, kTargets, member);
  std::vector<std::int32_t> changed(codes.begin(), codes.end());
  const auto limit = static_cast<std::uint64_t>(std::ldexp(flip_rate, 53));
  for (std::int32_t& code : changed) {
    if (random.next() >> 11 >= limit) continue;
    const auto other = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n_classes) - 1));
    code = other < code ? other : other + 1;
  }
  return changed;
}

std::uint64_t Sampling::growth_seed(std::uint64_t member) const { return stream(seed, kGrowth, member).next(); }

std::vector<double> Sampling::counts_by_row(const Target& target, std::uint64_t member) const {
  const auto n_used = std::count_if(target.weight.begin(), target.weight.end(), [](double w) { return w > 0.0; });
  const std::vector<double> by_place = counts(static_cast<std::size_t>(n_used), member);
  std::vector<double> by_row(target.n_rows(), 0.0);
  std::size_t place = 0;
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    if (target.weight[row] > 0.0) by_row[row] = by_place[place++];
  }
  return by_row;
}

MemberSample Sampling::draw(const SharedTable& shared, std::uint64_t member) const {
  const Samples& samples = shared.samples;
  const std::vector<double> by_row = counts_by_row(shared.target, member);
  MemberSample draw;
  draw.counts.reserve(samples.size());
  for (const RowIndex row : samples.row) draw.counts.push_back(by_row[row]);
  draw.features = features(shared.data.columns.size(), member);
  // A tree that sees a column twice is one that sees it once.
  draw.features.erase(std::unique(draw.features.begin(), draw.features.end()), draw.features.end());
  draw.groups = groups(shared.target.n_classes, member);
  if (targets == TargetChange::flip) draw.codes = flipped_rows(shared, member);
  draw.seed = growth_seed(member);
  return draw;
}

/// Classes by row; what is drawn goes by the place among the rows of positive weight.
std::vector<std::int32_t> Sampling::flipped_rows(const SharedTable& shared, std::uint64_t member) const {
  const Target& target = shared.target;
  std::vector<std::int32_t> used, codes(target.codes.begin(), target.codes.end());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (target.weight[row] > 0.0) used.push_back(codes[row]);
  }
  const std::vector<std::int32_t> changed = flipped(used, target.n_classes, member);
  if (changed.empty()) return {};
  std::size_t place = 0;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (target.weight[row] > 0.0) codes[row] = changed[place++];
  }
  return codes;
}

std::vector<double> draw_by_weight(std::span<const double> weights, std::size_t size, RandomStream random) {
  std::vector<double> upto(weights.size()), counts(weights.size(), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i) upto[i] = total += weights[i];
  for (std::size_t i = 0; i < size; ++i) {
    const auto found = std::upper_bound(upto.begin(), upto.end(), random.uniform() * total);
    counts[static_cast<std::size_t>(std::min(found, upto.end() - 1) - upto.begin())] += 1.0;
  }
  return counts;
}

}  // namespace spinney
