#pragma once
// What boosting does to the weights of rows: the rules of AdaBoost, apart from the learners.

#include <span>
#include <vector>

#include "spinney/types.hpp"

namespace spinney {

enum class BoostRule : std::uint8_t {
  samme,   // AdaBoost for any number of classes
  m1,      // a member must be right for more than half of the weight
  arc_x4,  // weights by how often a row was wrong; members vote equally
  r2,      // numbers
};

/// What weights follow from: of the margin, or in R2 of the error as a share of the largest.
enum class BoostLoss : std::uint8_t { exponential, logistic, linear, square };

struct BoostRules {
  BoostRule rule = BoostRule::samme;
  BoostLoss loss = BoostLoss::exponential;
  double learning_rate = 1.0;
  std::int32_t n_classes = 2;  // 0 with r2
};

/// What became of a member.
struct BoostRound {
  double error = 0.0;   // weighted
  double weight = 0.0;  // of its vote
  double loss = 0.0;    // mean over the rows after it, of the whole ensemble; R2: its own
  bool keep = true, stop = false;
};

class Booster {
 public:
  /// start: the rows' own weights, all positive.
  Booster(const BoostRules& rules, std::span<const double> start);
  /// What the next member learns from; the weights add up to 1.
  std::span<const double> weights() const { return weights_; }
  /// A member has answered: by row, 1 if it was wrong and else 0; for R2 how far it was off. Changes the weights.
  BoostRound add(std::span<const double> off);

 private:
  BoostRound judge_classes(std::span<const double> off) const;
  BoostRound add_numbers(std::span<const double> off);
  void reweigh_classes(std::span<const double> off, double vote);
  double mean_loss() const;
  void normalise();

  BoostRules rules_;
  std::vector<double> start_;  // add up to 1
  std::vector<double> weights_;
  std::vector<double> margins_;  // classes: of the votes so far; arc-x4 counts errors in n_wrong_
  std::vector<double> n_wrong_;
  bool first_ = true;
};

}  // namespace spinney
