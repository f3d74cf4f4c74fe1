#include "spinney/evolve/fitness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/data/cut.hpp"
#include "spinney/multiversion.hpp"
#include "spinney/objective/squared_error.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

namespace {

constexpr int kFar = 100;  // powers of two

/// How many of the rows from begin to end are in a set, or in two.
SPINNEY_TWO_VERSIONS(std::size_t, n_set, (const Word* bits, const Word* other, std::size_t begin, std::size_t end),
                     (bits, other, begin, end)) {
  if (begin == end) return 0;
  const auto n_in = [&](std::size_t w, Word mask) {
    return static_cast<std::size_t>(std::popcount(bits[w] & mask & (other ? other[w] : ~Word{0})));
  };
  const std::size_t first = begin / kWordBits, last = (end - 1) / kWordBits;
  const Word from = ~first_bits(begin % kWordBits), to = first_bits(end - last * kWordBits);
  if (first == last) return n_in(first, from & to);
  std::size_t sum = n_in(first, from) + n_in(last, to);
  for (std::size_t w = first + 1; w < last; ++w) sum += n_in(w, ~Word{0});
  return sum;
}

}  // namespace

Fitness::Fitness(const Target& target, const Samples& samples, std::span<const SampleIndex> group,
                 std::vector<Bits> earlier)
    : k_(target.n_classes > 0 ? static_cast<std::size_t>(target.n_classes) : 2),
      classes_(target.n_classes > 0),
      n_(group.size()) {
  if (classes_) {
    begin_.assign(k_ + 1, 0);
    for (const SampleIndex s : group) ++begin_[samples.label[s] + 1U];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }
  const auto scale = [&](SampleIndex s) {
    return target.class_scale.empty() ? 1.0 : target.class_scale[samples.label[s]];
  };
  for (const SampleIndex s : group) weight_.push_back((samples.weight.is_equal() ? 1.0 : samples.weight[s]) * scale(s));
  int exponent = 0;
  std::frexp(*std::max_element(weight_.begin(), weight_.end()), &exponent);
  if (std::abs(exponent) > kFar) {  // only the order of fitnesses counts: keep their sums in range
    for (double& w : weight_) w = std::ldexp(w, -exponent);
  }
  if (classes_ && samples.weight.is_equal()) {
    unit_.assign(k_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) unit_[samples.label[group[i]]] = weight_[i];
    if (target.class_scale.empty() && n_ > 0) {
      log_table_.resize(n_ + 1, 0.0);
      per_unit_ = 1.0 / weight_[0];
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
  all_ = part_of({});
  if (!classes_) all_.sums[1] = 0.0;  // y is centred
  if (classes_) loss_ = loss(all_.sums.data());
  for (Bits& bits : earlier) earlier_.push_back(part_of(std::move(bits)));
  least_ =
      tolerance::kSum * (classes_ ? std::max(loss_, std::accumulate(all_.sums.begin(), all_.sums.end(), 0.0)) : loss_);
  most_ = loss_;
  for (const Part& yes : earlier_) {
    std::vector<double> no(k_);
    for (std::size_t c = 0; c < k_; ++c) no[c] = all_.sums[c] - yes.sums[c];
    most_ = std::min(most_, (classes_ ? 0.0 : loss_) + loss(yes.sums.data()) + loss(no.data()));
  }
  if (most_ < 1e3 * least_) most_ = 0.0;  // an earlier root has left nothing but rounding
}

/// Adds the samples of a set to sums.
template <class WordOf>
void Fitness::sum(const WordOf& word_of, double* sums) const {
  if (!classes_) {
    for_each_bit(word_of, 0, n_, [&](std::size_t i) {
      sums[0] += weight_[i];
      sums[1] += weight_[i] * y_[i];
    });
    return;
  }
  for (std::size_t c = 0; c < k_; ++c)
    for_each_bit(word_of, begin_[c], begin_[c + 1], [&](std::size_t i) { sums[c] += weight_[i]; });
}

Fitness::Part Fitness::part_of(Bits bits) const {
  Part part{std::move(bits), {}, std::vector<double>(k_, 0.0)};
  const auto word_of = [&](std::size_t w) { return part.within(w); };
  sum(word_of, part.sums.data());
  for (std::size_t c = 0; classes_ && c < k_; ++c) {
    part.n.push_back(0);
    for_each_bit(word_of, begin_[c], begin_[c + 1], [&](std::size_t) { ++part.n.back(); });
  }
  return part;
}

/// Sums over the samples of a part for which a test is true, and behind them those for which it is false.
void Fitness::count(const Truth& truth, const Part& part, double* sums) const {
  double *yes = sums, *no = sums + k_;
  std::fill(sums, sums + 2 * k_, 0.0);
  const Word* within = part.bits.empty() ? nullptr : part.bits.data();
  if (!unit_.empty()) {
    for (std::size_t c = 0; c < k_; ++c) {
      const std::size_t n_yes = n_set(truth.yes.data(), within, begin_[c], begin_[c + 1]);
      const std::size_t n_no =
          truth.complete ? part.n[c] - n_yes : n_set(truth.no.data(), within, begin_[c], begin_[c + 1]);
      yes[c] = static_cast<double>(n_yes) * unit_[c];
      no[c] = static_cast<double>(n_no) * unit_[c];
    }
    return;
  }
  sum([&](std::size_t w) { return truth.yes[w] & part.within(w); }, yes);
  sum([&](std::size_t w) { return truth.false_word(w) & part.within(w); }, no);
}

double Fitness::times_log(double w) const { return w > 0.0 ? w * std::log2(w) : 0.0; }

/// Entropy times weight; for numbers what is not told by the mean, up to a constant.
double Fitness::loss(const double* sums) const {
  if (!classes_) return sums[0] > 0.0 ? -SquaredError::explained(sums[1], sums[0]) : 0.0;
  double total = 0.0, parts = 0.0;
  if (!log_table_.empty()) {
    std::size_t n = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      const auto own = static_cast<std::size_t>(sums[c] * per_unit_ + 0.5);
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
  double *whole = scratch.data(), *within = whole + 5 * k_;
  count(truth, all_, whole);
  std::copy(all_.sums.begin(), all_.sums.end(), whole + 2 * k_);
  const double own = gain(whole);
  if (earlier_.empty()) return own;
  double least = kInfinity;
  for (const Part& part : earlier_) {
    count(truth, part, within);
    std::copy(part.sums.begin(), part.sums.end(), within + 2 * k_);
    double sum = gain(within);
    for (std::size_t c = 0; c < 3 * k_; ++c) within[c] = whole[c] - within[c];  // the other side of the root
    sum += gain(within);
    least = std::min(least, sum);
  }
  return least;
}

bool Fitness::unknown_goes_true(const Truth& truth) const {
  double yes = 0.0, no = 0.0;
  for_each_bit([&](std::size_t w) { return truth.yes[w]; }, 0, n_, [&](std::size_t i) { yes += weight_[i]; });
  for_each_bit([&](std::size_t w) { return truth.false_word(w); }, 0, n_, [&](std::size_t i) { no += weight_[i]; });
  return yes >= no;
}

Fitness::Cut Fitness::best_cut(std::span<const double> numbers) const {
  std::vector<std::uint32_t> order;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!std::isnan(numbers[i])) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
  std::vector<double> sums(5 * k_, 0.0);  // one row after the other becomes false
  std::copy(all_.sums.begin(), all_.sums.end(), sums.begin() + static_cast<std::ptrdiff_t>(2 * k_));
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
