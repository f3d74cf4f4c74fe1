#pragma once
// Linear regression of one number on a few columns.

#include <vector>

namespace spinney {

struct Line {
  double intercept = 0.0;
  std::vector<double> slope;  // by column
};

/// Weighted least squares, with a little ridge. columns: one after the other, as long as y.
Line least_squares(const std::vector<double>& columns, const std::vector<double>& y, const std::vector<double>& weight);

/// The slope of a logistic regression of 0 and 1, after a few of Newton's steps.
std::vector<double> logistic_slope(const std::vector<double>& columns, const std::vector<double>& y,
                                   const std::vector<double>& weight);

}  // namespace spinney
