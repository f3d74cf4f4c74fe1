#include "spinney/data/target.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/data/sorted.hpp"

namespace spinney {

double least_cost(std::span<const double> cost, std::span<const double> class_weights) {
  if (cost.empty()) {
    const double total = std::accumulate(class_weights.begin(), class_weights.end(), 0.0);
    return total - *std::max_element(class_weights.begin(), class_weights.end());
  }
  double least = kInfinity;
  for (std::size_t predicted = 0; predicted < class_weights.size(); ++predicted) {
    double sum = 0.0;
    for (std::size_t truth = 0; truth < class_weights.size(); ++truth) {
      sum += class_weights[truth] * cost[truth * class_weights.size() + predicted];
    }
    least = std::min(least, sum);
  }
  return least;
}

double Target::least_cost(std::span<const double> class_weights) const {
  return spinney::least_cost(cost, class_weights);
}

namespace {

/// Rows in class order: a counting sort.
void order_by_class(const Target& target, std::vector<RowIndex>& rows) {
  std::vector<std::size_t> start(target.n_classes + 1, 0);
  for (const RowIndex row : rows) ++start[target.codes[row] + 1];
  for (std::int32_t k = 0; k < target.n_classes; ++k) start[k + 1] += start[k];
  std::vector<RowIndex> ordered(rows.size());
  for (const RowIndex row : rows) ordered[start[target.codes[row]]++] = row;
  rows = std::move(ordered);
}

/// Rows by ascending y: the target is sorted like any column.
void order_by_y(const Target& target, std::vector<RowIndex>& rows, Interrupt& interrupt) {
  const Column number;
  const Dataset data{{target.y.data(), 1, 1, target.y.size(), 1}, {&number, 1}};
  Samples samples;
  samples.row = rows;
  std::vector<SampleIndex> everyone(rows.size());
  std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
  std::vector<Entry> sorted(rows.size());
  ColumnSorter(interrupt).sort(data, samples, 0, everyone, sorted.data());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = samples.row[sorted[i].sample()];
}

void fill_classes(const Target& target, Samples& samples) {
  for (const RowIndex row : samples.row) samples.label.push_back(static_cast<std::uint16_t>(target.codes[row]));
  if (target.n_classes == 2) samples.is_one.assign(samples.label.begin(), samples.label.end());
}

/// Numbers within a factor of two of each other lose nothing by subtraction, and what is summed up afterwards is
/// rounded by their spread, not by their size: exact ties stay ties.
void shift_far_numbers(Samples& samples) {
  if (samples.y.empty()) return;
  const double low = samples.y.front(), high = samples.y.back();  // they are in order
  if (low > 0.0 && high <= 2.0 * low) samples.y_shift = low;
  if (high < 0.0 && low >= 2.0 * high) samples.y_shift = high;
  for (double& y : samples.y) y -= samples.y_shift;
}

void fill_weights(const Target& target, Samples& samples) {
  const std::vector<double>& scale = target.search_scale();
  std::vector<double> own, scaled;
  own.reserve(samples.size());
  for (const RowIndex row : samples.row) own.push_back(target.weight[row]);
  for (std::size_t s = 0; s < own.size() && !scale.empty(); ++s) scaled.push_back(own[s] * scale[samples.label[s]]);
  samples.set_weights(std::move(own), std::move(scaled));
}

}  // namespace

void Samples::set_weights(std::vector<double> own, std::vector<double> scaled) {
  const bool differ = !scaled.empty() && scaled != own;
  weight = SampleWeights(std::move(own), !differ);
  scaled_weight.reset();
  if (differ) scaled_weight.emplace(std::move(scaled), false);
}

double Samples::rate() const {
  double count = 0.0, time = 0.0;
  for (SampleIndex s = 0; s < size(); ++s) {
    count += weight[s] * (y[s] + y_shift);
    time += weight[s] * exposure_of(s);
  }
  return count / time;
}

void Samples::part(SampleIndex s, double share) {
  row.push_back(row[s]);
  if (!label.empty()) label.push_back(label[s]);
  if (!is_one.empty()) is_one.push_back(is_one[s]);
  if (!y.empty()) y.push_back(y[s]);
  if (!exposure.empty()) exposure.push_back(exposure[s]);
  weight.part(s, share);
  if (scaled_weight) scaled_weight->part(s, share);
}

Samples make_samples(const Target& target, std::span<const std::uint8_t> take, Interrupt& interrupt) {
  Samples samples;
  samples.n_classes = target.n_classes;
  for (std::size_t row = 0; row < target.n_rows(); ++row) {
    if (target.weight[row] > 0.0 && (take.empty() || take[row])) samples.row.push_back(static_cast<RowIndex>(row));
  }
  // Equal weights of a class, or of a value of y, stand together: sums do not depend on the order of the rows.
  const auto lighter = [&](RowIndex a, RowIndex b) {
    if (!target.exposure.empty() && target.exposure[a] != target.exposure[b])
      return target.exposure[a] < target.exposure[b];
    return target.weight[a] < target.weight[b];
  };
  if (!std::is_sorted(samples.row.begin(), samples.row.end(), lighter)) {
    std::stable_sort(samples.row.begin(), samples.row.end(), lighter);
  }
  if (target.n_classes > 0) {
    order_by_class(target, samples.row);
    fill_classes(target, samples);
  } else {
    order_by_y(target, samples.row, interrupt);
    for (const RowIndex row : samples.row) samples.y.push_back(target.y[row]);
    shift_far_numbers(samples);
    for (std::size_t s = 0; s < samples.size() && !target.exposure.empty(); ++s)
      samples.exposure.push_back(target.exposure[samples.row[s]]);
  }
  fill_weights(target, samples);
  return samples;
}

}  // namespace spinney
