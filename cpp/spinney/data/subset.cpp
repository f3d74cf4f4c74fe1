#include "spinney/data/subset.hpp"

#include <algorithm>

#include "spinney/data/sorted.hpp"
#include "spinney/random.hpp"

namespace spinney {

SampleSubset keep_samples(const Samples& all, std::span<const double> factor) {
  const auto n =
      static_cast<std::size_t>(std::count_if(factor.begin(), factor.end(), [](double f) { return f > 0.0; }));
  SampleSubset out{{}, std::vector<SampleIndex>(all.size(), kAbsent)};
  Samples& kept = out.samples;
  kept.n_classes = all.n_classes;
  kept.y_shift = all.y_shift;
  kept.row.reserve(n);
  std::vector<double> own, scaled;
  own.reserve(n);
  scaled.reserve(all.scaled_weight ? n : 0);
  kept.label.reserve(all.label.empty() ? 0 : n);
  kept.is_one.reserve(all.is_one.empty() ? 0 : n);
  kept.y.reserve(all.y.empty() ? 0 : n);
  kept.exposure.reserve(all.exposure.empty() ? 0 : n);
  for (SampleIndex s = 0; s < all.size(); ++s) {
    if (!(factor[s] > 0.0)) continue;
    out.new_index[s] = static_cast<SampleIndex>(kept.row.size());
    kept.row.push_back(all.row[s]);
    own.push_back(all.weight[s] * factor[s]);
    if (all.scaled_weight) scaled.push_back((*all.scaled_weight)[s] * factor[s]);
    if (!all.label.empty()) kept.label.push_back(all.label[s]);
    if (!all.is_one.empty()) kept.is_one.push_back(all.is_one[s]);
    if (!all.y.empty()) kept.y.push_back(all.y[s]);
    if (!all.exposure.empty()) kept.exposure.push_back(all.exposure[s]);
  }
  kept.set_weights(std::move(own), std::move(scaled));
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
