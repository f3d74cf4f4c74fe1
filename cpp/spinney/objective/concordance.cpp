#include "spinney/objective/concordance.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace spinney {

namespace {

/// The places of numbers among the distinct ones, from 1.
std::vector<std::size_t> ranks(std::span<const double> numbers, std::size_t& n_distinct) {
  std::vector<std::size_t> order(numbers.size()), rank(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  n_distinct = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || numbers[order[i]] > numbers[order[i - 1]]) ++n_distinct;
    rank[order[i]] = n_distinct;
  }
  return rank;
}

/// Weights by place, in a Fenwick tree.
class Weights {
 public:
  explicit Weights(std::size_t n) : sums_(n + 1, 0.0) {}
  void add(std::size_t place, double weight) {
    total_ += weight;
    for (; place < sums_.size(); place += place & (~place + 1)) sums_[place] += weight;
  }
  double up_to(std::size_t place) const {
    double sum = 0.0;
    for (; place > 0; place &= place - 1) sum += sums_[place];
    return sum;
  }
  double total() const { return total_; }

 private:
  std::vector<double> sums_;
  double total_ = 0.0;
};

}  // namespace

Concordance concordance(std::span<const double> time, std::span<const std::uint8_t> event, std::span<const double> risk,
                        std::span<const double> weight, Interrupt& interrupt) {
  std::size_t n_risks = 0;
  const std::vector<std::size_t> rank = ranks(risk, n_risks);
  std::vector<std::size_t> order(time.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return time[a] > time[b]; });
  Weights at_risk(n_risks);
  Concordance out;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {  // the last to leave first
    interrupt.check();
    const std::span<const std::size_t> rest = std::span(order).subspan(begin);
    end = begin + static_cast<std::size_t>(
                      std::find_if(rest.begin(), rest.end(), [&](std::size_t i) { return time[i] < time[rest[0]]; }) -
                      rest.begin());
    const std::span<const std::size_t> group = rest.first(end - begin);
    for (const std::size_t i : group) {
      if (!event[i]) at_risk.add(rank[i], weight[i]);
    }
    for (const std::size_t i : group) {
      if (!event[i]) continue;
      const double lower = at_risk.up_to(rank[i] - 1), same = at_risk.up_to(rank[i]) - lower;
      out.concordant += weight[i] * lower;
      out.tied += weight[i] * same;
      out.discordant += weight[i] * (at_risk.total() - lower - same);
    }
    for (const std::size_t i : group) {
      if (event[i]) at_risk.add(rank[i], weight[i]);
    }
  }
  return out;
}

}  // namespace spinney
