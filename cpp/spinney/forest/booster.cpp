#include "spinney/forest/booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/tolerance.hpp"

namespace spinney {

namespace {

constexpr double kLeastWeight = 1e-290;  // of a row: it must not vanish

/// log(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

Booster::Booster(const BoostRules& rules, std::span<const double> start)
    : rules_(rules), start_(start.begin(), start.end()), weights_(start_), margins_(start.size(), 0.0) {
  if (rules.rule == BoostRule::arc_x4) n_wrong_.assign(start.size(), 0.0);
  normalise();
  start_ = weights_;
}

void Booster::normalise() {
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& w : weights_) w = std::max(w / total, kLeastWeight);
}

BoostRound Booster::add(std::span<const double> off) {
  if (rules_.rule == BoostRule::r2) return add_numbers(off);
  BoostRound round = judge_classes(off);
  if (round.keep) reweigh_classes(off, round.weight);
  round.loss = mean_loss();
  first_ = false;
  return round;
}

BoostRound Booster::judge_classes(std::span<const double> off) const {
  BoostRound round;
  for (std::size_t i = 0; i < off.size(); ++i) round.error += weights_[i] * off[i];
  const bool none_wrong = std::all_of(off.begin(), off.end(), [](double wrong) { return wrong == 0.0; });
  const double k = rules_.n_classes;
  round.weight = 1.0;
  if (none_wrong || k < 2.0) {
    round.error = 0.0;
    round.stop = true;
    return round;
  }
  if (rules_.rule == BoostRule::arc_x4) return round;
  const bool many = rules_.rule == BoostRule::samme;
  if (!(round.error < (many ? 1.0 - 1.0 / k : 0.5) - tolerance::kSum)) {
    round.keep = false;
    round.stop = true;
    return round;
  }
  round.weight =
      rules_.learning_rate * (std::log((1.0 - round.error) / round.error) + (many ? std::log(k - 1.0) : 0.0));
  return round;
}

/// The margin of a row grows by the vote for its class, less a share of the vote for every class.
void Booster::reweigh_classes(std::span<const double> off, double vote) {
  const double share = vote / rules_.n_classes;
  for (std::size_t i = 0; i < off.size(); ++i) margins_[i] += (off[i] > 0.0 ? 0.0 : vote) - share;
  if (rules_.rule == BoostRule::arc_x4) {
    for (std::size_t i = 0; i < off.size(); ++i) {
      n_wrong_[i] += off[i];
      const double square = n_wrong_[i] * n_wrong_[i];
      weights_[i] = start_[i] * (1.0 + square * square);
    }
  } else if (rules_.loss == BoostLoss::logistic) {
    for (std::size_t i = 0; i < off.size(); ++i) weights_[i] = start_[i] / (1.0 + std::exp(2.0 * margins_[i]));
  } else {
    const double factor = std::exp(std::min(vote, 700.0));
    for (std::size_t i = 0; i < off.size(); ++i) weights_[i] *= off[i] > 0.0 ? factor : 1.0;
  }
  normalise();
}

/// The mean over the rows of exp(-margin), or of log(1 + exp(-2 margin)).
double Booster::mean_loss() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < margins_.size(); ++i) {
    const double m = std::max(margins_[i], -700.0);
    sum += start_[i] * (rules_.loss == BoostLoss::logistic ? softplus(-2.0 * m) : std::exp(-m));
  }
  return sum;
}

BoostRound Booster::add_numbers(std::span<const double> off) {
  BoostRound round;
  const double largest = *std::max_element(off.begin(), off.end());
  std::vector<double> loss(off.begin(), off.end());
  for (double& one : loss) {
    if (largest > 0.0) one /= largest;
    if (rules_.loss == BoostLoss::square) one *= one;
    if (rules_.loss == BoostLoss::exponential) one = -std::expm1(-one);
  }
  for (std::size_t i = 0; i < loss.size(); ++i) round.error += weights_[i] * loss[i];
  round.loss = round.error;
  round.weight = 1.0;
  const bool useful = round.error < 0.5 - tolerance::kSum;
  round.stop = !(round.error > 0.0) || !useful;
  round.keep = !(round.error > 0.0) || useful || first_;
  first_ = false;
  if (round.stop) return round;
  const double beta = round.error / (1.0 - round.error);
  round.weight = rules_.learning_rate * std::log(1.0 / beta);
  for (std::size_t i = 0; i < loss.size(); ++i) weights_[i] *= std::pow(beta, (1.0 - loss[i]) * rules_.learning_rate);
  normalise();
  return round;
}

}  // namespace spinney
