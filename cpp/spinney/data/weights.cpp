#include "spinney/data/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace spinney {

namespace {

/// In lanes: the order of minima is of no account.
double least_of(const std::vector<double>& values) {
  std::array<double, 8> least;
  least.fill(values[0]);
  std::size_t i = 0;
  for (; i + least.size() <= values.size(); i += least.size()) {
    for (std::size_t lane = 0; lane < least.size(); ++lane) least[lane] = std::min(least[lane], values[i + lane]);
  }
  for (; i < values.size(); ++i) least[0] = std::min(least[0], values[i]);
  return *std::ranges::min_element(least);
}

}  // namespace

SampleWeights::SampleWeights(std::vector<double> weights, bool count_multiples) : values(std::move(weights)) {
  if (values.empty()) return;
  unit = values[0];
  if (std::all_of(values.begin(), values.end(), [&](double w) { return w == unit; })) return;
  form = Form::real;
  if (count_multiples) find_multiples();
}

void SampleWeights::find_multiples() {
  unit = least_of(values);
  times.reserve(values.size());
  for (const double w : values) {
    const double n = std::round(w / unit);
    if (!(n <= kMostTimes) || n * unit != w) {
      times = {};
      return;
    }
    times.push_back(static_cast<std::uint8_t>(n));
  }
  form = Form::multiples;
}

void SampleWeights::part(SampleIndex s, double share) {
  form = Form::real;
  times = {};
  values.push_back(values[s] * (1.0 - share));
  values[s] *= share;
}

}  // namespace spinney
