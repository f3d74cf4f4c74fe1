#include "spinney/data/weights.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spinney {

SampleWeights::SampleWeights(std::vector<double> weights, bool count_multiples) : values(std::move(weights)) {
  if (values.empty()) return;
  unit = values[0];
  if (std::all_of(values.begin(), values.end(), [&](double w) { return w == unit; })) return;
  form = Form::real;
  if (count_multiples) find_multiples();
}

void SampleWeights::find_multiples() {
  unit = *std::min_element(values.begin(), values.end());
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
