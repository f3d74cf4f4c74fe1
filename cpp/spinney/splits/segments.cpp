#include "spinney/splits/segments.hpp"

#include <algorithm>
#include <cmath>

#include "spinney/data/cut.hpp"

namespace spinney {

std::vector<double> segment_borders(std::span<const double> x, std::span<const std::int32_t> codes,
                                    std::int32_t n_classes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isnan(x[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  const auto k = static_cast<std::size_t>(n_classes);
  std::vector<double> borders, previous(k, 0.0), run(k, 0.0);
  double previous_weight = 0.0;
  for (std::size_t i = 0; i < order.size();) {
    const std::size_t begin = i;
    std::fill(run.begin(), run.end(), 0.0);
    for (; i < order.size() && x[order[i]] == x[order[begin]]; ++i) run.at(codes[order[i]]) += 1.0;
    const auto weight = static_cast<double>(i - begin);
    if (begin > 0 && shares_differ(k, previous.data(), previous_weight, run.data(), weight)) {
      borders.push_back(cut_between(x[order[begin - 1]], x[order[begin]]));
    }
    previous.swap(run);
    previous_weight = weight;
  }
  return borders;
}

}  // namespace spinney
