#include "spinney/evolve/fitness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/data/cut.hpp"
#include "spinney/multiversion.hpp"

namespace spinney {

namespace {

constexpr int kFar = 100;            // powers of two
constexpr double kRounding = 1e-12;  // gains below this share of what there is are none

/// How many of the rows from begin to end are in a set, or in two.
SPINNEY_MULTIVERSION std::size_t n_set(const Word* bits, const Word* other, std::size_t begin, std::size_t end) {
  std::size_t sum = 0;
  for (std::size_t w = begin / kWordBits; w * kWordBits < end; ++w) {
    const Word word = other ? bits[w] & other[w] : bits[w];
    sum += static_cast<std::size_t>(std::popcount(between(word, w * kWordBits, begin, end)));
  }
  return sum;
}

}  // namespace

Fitness::Fitness(const Target& target, const Samples& samples, std::span<const SampleIndex> group,
                 std::vector<Bits> earlier)
    : k_(target.n_classes > 0 ? static_cast<std::size_t>(target.n_classes) : 2),
      classes_(target.n_classes > 0),
      n_(group.size()),
      earlier_(std::move(earlier)) {
  if (classes_) {
    begin_.assign(k_ + 1, 0);
    for (const SampleIndex s : group) ++begin_[samples.label[s] + 1U];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }
  const auto scale = [&](SampleIndex s) {
    return target.class_scale.empty() ? 1.0 : target.class_scale[samples.label[s]];
  };
  for (const SampleIndex s : group) weight_.push_back((samples.equal_weights ? 1.0 : samples.weight[s]) * scale(s));
  int exponent = 0;
  std::frexp(*std::max_element(weight_.begin(), weight_.end()), &exponent);
  if (std::abs(exponent) > kFar) {  // only the order of fitnesses counts: keep their sums in range
    for (double& w : weight_) w = std::ldexp(w, -exponent);
  }
  if (classes_ && samples.equal_weights) {
    unit_.assign(k_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) unit_[samples.label[group[i]]] = weight_[i];
    if (target.class_scale.empty() && n_ > 0) {
      log_table_.resize(n_ + 1, 0.0);
      for (std::size_t i = 1; i <= n_; ++i) {
        const double w = static_cast<double>(i) * weight_[0];
        log_table_[i] = w * std::log2(w);
      }
    }
  }
  if (!classes_) {
    double total = 0.0, sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      total += weight_[i];
      sum += weight_[i] * (samples.y[group[i]] - samples.y[group[0]]);
    }
    for (const SampleIndex s : group) y_.push_back(samples.y[s] - samples.y[group[0]] - sum / total);
    for (std::size_t i = 0; i < n_; ++i) loss_ += weight_[i] * y_[i] * y_[i];
  }
  all_.assign(k_, 0.0);
  for (std::uint32_t i = 0; i < n_; ++i) add(i, 1.0, all_.data());
  if (!classes_) all_[1] = 0.0;  // y is centred
  if (classes_) loss_ = loss(all_.data());
  for (const auto& side : earlier_) {
    earlier_all_.emplace_back(k_, 0.0);
    for_each_bit(side.data(), 0, n_,
                 [&](std::size_t i) { add(static_cast<std::uint32_t>(i), 1.0, earlier_all_.back().data()); });
  }
  least_ = kRounding * (classes_ ? std::max(loss_, std::accumulate(all_.begin(), all_.end(), 0.0)) : loss_);
  most_ = loss_;
  for (const auto& yes : earlier_all_) {
    std::vector<double> no(k_);
    for (std::size_t c = 0; c < k_; ++c) no[c] = all_[c] - yes[c];
    most_ = std::min(most_, (classes_ ? 0.0 : loss_) + loss(yes.data()) + loss(no.data()));
  }
  if (most_ < 1e3 * least_) most_ = 0.0;  // an earlier root has left nothing but rounding
}

/// Sums over the samples of a set, or of what it has in common with another.
void Fitness::count(const Bits& bits, const Bits* other, double* sums) const {
  std::fill(sums, sums + k_, 0.0);
  if (!unit_.empty()) {
    for (std::size_t c = 0; c < k_; ++c) {
      const std::size_t n = n_set(bits.data(), other ? other->data() : nullptr, begin_[c], begin_[c + 1]);
      sums[c] = static_cast<double>(n) * unit_[c];
    }
    return;
  }
  const auto is_in = [&](std::size_t i) { return !other || has_bit(*other, i); };
  if (!classes_) {
    for_each_bit(bits.data(), 0, n_, [&](std::size_t i) {
      if (!is_in(i)) return;
      sums[0] += weight_[i];
      sums[1] += weight_[i] * y_[i];
    });
    return;
  }
  for (std::size_t c = 0; c < k_; ++c) {
    for_each_bit(bits.data(), begin_[c], begin_[c + 1], [&](std::size_t i) { sums[c] += is_in(i) ? weight_[i] : 0.0; });
  }
}

double Fitness::times_log(double w) const { return w > 0.0 ? w * std::log2(w) : 0.0; }

/// Entropy times weight; for numbers what is not told by the mean, up to a constant.
double Fitness::loss(const double* sums) const {
  if (!classes_) return sums[0] > 0.0 ? -sums[1] * sums[1] / sums[0] : 0.0;
  double total = 0.0, parts = 0.0;
  if (!log_table_.empty()) {
    std::size_t n = 0;
    const double unit = weight_[0];
    for (std::size_t c = 0; c < k_; ++c) {
      const auto own = static_cast<std::size_t>(sums[c] / unit + 0.5);
      parts += log_table_[own];
      n += own;
    }
    return log_table_[n] - parts;
  }
  for (std::size_t c = 0; c < k_; ++c) {
    total += sums[c];
    parts += times_log(sums[c]);
  }
  return times_log(total) - parts;
}

/// sums: of the true, of the false, of all, and room for two more. The unknown go with the heavier side.
double Fitness::gain(double* sums) const {
  const double *yes = sums, *no = sums + k_, *all = sums + 2 * k_;
  const std::size_t n_weights = classes_ ? k_ : 1;
  const double w_yes = std::accumulate(yes, yes + n_weights, 0.0), w_no = std::accumulate(no, no + n_weights, 0.0);
  if (!(w_yes > 0.0) || !(w_no > 0.0)) return 0.0;
  double *light = sums + 3 * k_, *heavy = sums + 4 * k_;
  for (std::size_t c = 0; c < k_; ++c) {
    light[c] = w_yes >= w_no ? no[c] : yes[c];
    heavy[c] = all[c] - light[c];
  }
  const double found = loss(all) - loss(light) - loss(heavy);
  return found > least_ ? found : 0.0;
}

double Fitness::operator()(const Truth& truth, std::vector<double>& scratch) const {
  scratch.resize(10 * k_);
  double *whole = scratch.data(), *part = whole + 5 * k_;
  count(truth.yes, nullptr, whole);
  count(truth.no, nullptr, whole + k_);
  std::copy(all_.begin(), all_.end(), whole + 2 * k_);
  const double own = gain(whole);
  if (earlier_.empty()) return own;
  double least = kInfinity;
  for (std::size_t j = 0; j < earlier_.size(); ++j) {
    count(truth.yes, &earlier_[j], part);
    count(truth.no, &earlier_[j], part + k_);
    std::copy(earlier_all_[j].begin(), earlier_all_[j].end(), part + 2 * k_);
    double sum = gain(part);
    for (std::size_t c = 0; c < 3 * k_; ++c) part[c] = whole[c] - part[c];  // the other side of the root
    sum += gain(part);
    least = std::min(least, sum);
  }
  return least;
}

bool Fitness::unknown_goes_true(const Truth& truth) const {
  double yes = 0.0, no = 0.0;
  for_each_bit(truth.yes.data(), 0, n_, [&](std::size_t i) { yes += weight_[i]; });
  for_each_bit(truth.no.data(), 0, n_, [&](std::size_t i) { no += weight_[i]; });
  return yes >= no;
}

Fitness::Cut Fitness::best_cut(std::span<const double> numbers) const {
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!std::isnan(numbers[i])) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
  std::vector<double> sums(5 * k_, 0.0);  // one row after the other becomes false
  std::copy(all_.begin(), all_.end(), sums.begin() + static_cast<std::ptrdiff_t>(2 * k_));
  for (const auto i : order) add(i, 1.0, sums.data());
  Cut best;
  for (std::size_t p = 0; p + 1 < order.size(); ++p) {
    add(order[p], -1.0, sums.data());
    add(order[p], 1.0, sums.data() + k_);
    const double low = numbers[order[p]], high = numbers[order[p + 1]];
    if (!(low < high)) continue;
    const double found = gain(sums.data());
    if (found > best.gain) best = {found, cut_between(low, high)};
  }
  return best;
}

void Fitness::add(std::uint32_t sample, double sign, double* sums) const {
  if (!classes_) {
    sums[0] += sign * weight_[sample];
    sums[1] += sign * weight_[sample] * y_[sample];
    return;
  }
  const auto above = std::upper_bound(begin_.begin(), begin_.end(), static_cast<std::size_t>(sample));
  sums[above - begin_.begin() - 1] += sign * weight_[sample];
}

}  // namespace spinney
