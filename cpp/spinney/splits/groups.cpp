#include "spinney/splits/groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/tolerance.hpp"

namespace spinney {

Limits Limits::of_rows(std::size_t rows, double weight, double row_weight) {
  const double needed = std::ceil(weight / row_weight * (1.0 - tolerance::kSum));
  return {std::max(rows, static_cast<std::size_t>(needed)), 0.0};
}

void Groups::clear(std::size_t n_moments) {
  k = n_moments;
  rank.clear();
  rows.clear();
  weight.clear();
  moments.clear();
}

std::vector<std::size_t> Groups::take(std::vector<std::size_t>& from, double has_rows, double has_weight,
                                      const Limits& limits) const {
  const auto least = static_cast<double>(limits.rows);
  const bool by_rows = has_rows < least;
  const std::vector<double>& size = by_rows ? rows : weight;
  double need = by_rows ? least - has_rows : limits.weight - has_weight;
  std::vector<std::size_t> taken;
  if (!(has_rows > 0.0 && need > 0.0)) return taken;
  std::stable_sort(from.begin(), from.end(), [&](std::size_t a, std::size_t b) { return size[a] < size[b]; });
  auto next = from.begin();
  for (; need > 0.0 && next != from.end(); ++next) {
    taken.push_back(*next);
    need -= size[*next];
  }
  from.erase(from.begin(), next);
  for (std::size_t i = taken.size(); i-- > 0;) {
    if (size[taken[i]] > -need) continue;
    need += size[taken[i]];
    from.push_back(taken[i]);
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return taken;
}

std::vector<std::size_t> Groups::order_by(const std::vector<double>& keys, const Limits& limits) const {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  const double slack = tolerance::kSum * std::max(std::abs(keys[order.front()]), std::abs(keys[order.back()]));
  double rows_after = std::accumulate(rows.begin(), rows.end(), 0.0), rows_before = 0.0;
  double weight_after = std::accumulate(weight.begin(), weight.end(), 0.0), weight_before = 0.0;
  for (auto first = order.begin(); first != order.end();) {
    auto last = std::next(first);
    while (last != order.end() && keys[*last] - keys[*std::prev(last)] <= slack) ++last;
    double block_rows = 0.0, block_weight = 0.0;
    for (auto g = first; g != last; ++g) {
      block_rows += rows[*g];
      block_weight += weight[*g];
    }
    rows_after -= block_rows;
    weight_after -= block_weight;
    if (std::next(first) != last) {
      std::vector<std::size_t> equal(first, last);
      const std::vector<std::size_t> left = take(equal, rows_before, weight_before, limits);
      const std::vector<std::size_t> right = take(equal, rows_after, weight_after, limits);
      std::sort(equal.begin(), equal.end());
      first = std::copy(left.begin(), left.end(), first);
      first = std::copy(equal.begin(), equal.end(), first);
      std::copy(right.begin(), right.end(), first);
    }
    first = last;
    rows_before += block_rows;
    weight_before += block_weight;
  }
  return order;
}

void Groups::sort_by(const std::vector<double>& keys, const Limits& limits) {
  Groups sorted;
  sorted.k = k;
  for (const std::size_t g : order_by(keys, limits)) {
    sorted.rank.push_back(rank[g]);
    sorted.rows.push_back(rows[g]);
    sorted.weight.push_back(weight[g]);
    sorted.moments.insert(sorted.moments.end(), moments_of(g), moments_of(g) + k);
  }
  *this = std::move(sorted);
}

}  // namespace spinney
