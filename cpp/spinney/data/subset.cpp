#include "spinney/data/subset.hpp"

#include <algorithm>

#include "spinney/data/sorted.hpp"
#include "spinney/random.hpp"

namespace spinney {

namespace {

/// Those of some numbers; none of none.
template <class Number>
std::vector<Number> pick(const std::vector<Number>& all, std::span<const SampleIndex> chosen) {
  if (all.empty() || chosen.size() == all.size()) return all;
  std::vector<Number> out(chosen.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = all[chosen[i]];
  return out;
}

std::vector<double> pick_weights(const SampleWeights& all, std::span<const double> factor,
                                 std::span<const SampleIndex> chosen) {
  std::vector<double> out(chosen.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = all.values[chosen[i]] * factor[chosen[i]];
  return out;
}

}  // namespace

// Nothing branches on the draw of a sample, which nobody could guess.
SampleSubset keep_samples(const Samples& all, std::span<const double> factor) {
  SampleSubset out{{}, std::vector<SampleIndex>(all.size())};
  std::vector<SampleIndex> chosen(all.size() + 1);
  SampleIndex n = 0;
  for (SampleIndex s = 0; s < all.size(); ++s) {
    const bool keeps = factor[s] > 0.0;
    out.new_index[s] = keeps ? n : kAbsent;
    chosen[n] = s;
    n += keeps ? 1 : 0;
  }
  chosen.resize(n);
  Samples& kept = out.samples;
  kept.n_classes = all.n_classes;
  kept.y_shift = all.y_shift;
  kept.row = pick(all.row, chosen);
  kept.label = pick(all.label, chosen);
  kept.is_one = pick(all.is_one, chosen);
  kept.y = pick(all.y, chosen);
  kept.exposure = pick(all.exposure, chosen);
  kept.set_weights(pick_weights(all.weight, factor, chosen),
                   all.scaled_weight ? pick_weights(*all.scaled_weight, factor, chosen) : std::vector<double>{});
  return out;
}

std::vector<RowIndex> deal(const Target& target, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<RowIndex> rows;
  for (std::size_t row = 0; row < target.n_rows(); ++row) {
    if (target.weight[row] > 0.0) rows.push_back(static_cast<RowIndex>(row));
  }
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
  if (target.n_classes > 0) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](RowIndex a, RowIndex b) { return target.codes[a] < target.codes[b]; });
  }
  return rows;
}

std::vector<std::int32_t> deal_parts(const Target& target, std::size_t n_parts, std::uint64_t seed) {
  std::vector<std::int32_t> part(target.n_rows(), -1);
  const std::vector<RowIndex> rows = deal(target, seed);
  for (std::size_t i = 0; i < rows.size(); ++i) part[rows[i]] = static_cast<std::int32_t>(i % n_parts);
  return part;
}

}  // namespace spinney
