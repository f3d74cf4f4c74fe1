#pragma once
// How many errors to expect of a leaf or a rule beyond those that its own rows show: the upper end of the confidence
// interval of a binomial share, by the normal approximation with continuity correction (Quinlan 1993, chapter 4).

namespace spinney {

/// The bound at one confidence level. Making it solves for the quantile; asking is cheap.
class Pessimistic {
 public:
  /// cf in (0, 0.5]: the lower it is, the more errors are expected.
  explicit Pessimistic(double cf);

  /// Errors to add to the observed ones among rows of a total weight.
  double added_errors(double total, double errors) const;
  /// Observed and added errors as a share of the weight; 1 where there is no weight to learn from.
  double rate(double total, double errors) const;

 private:
  double without_errors(double total) const;

  double cf_, z_;
};

double added_errors(double total, double errors, double cf);

/// The z whose upper tail under the standard normal curve is p, for p in (0, 0.5].
double upper_quantile(double p);

}  // namespace spinney
