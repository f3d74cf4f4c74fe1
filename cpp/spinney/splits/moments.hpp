#pragma once
// The tight loops: Gini and squared error, whose drop is a difference of (sum)^2 / weight.

#include "spinney/splits/scan.hpp"

namespace spinney {

/// 1/i for i = 0 .. n, so that the loops over equal weights divide by table.
std::vector<double> make_inverses(std::size_t n);

/// Best position and largest sum over sides of (moment)^2 / weight; score is -infinity if no cut is allowed.
struct Moment {
  double score = -kInfinity;
  std::uint32_t position = 0;
};

struct ScanRange {
  const Entry* entries;
  std::size_t n;
  const Limits& limits;  // of the caller: ranges are handed over for every column of every node
  double slack;          // a score must be better by more than this
};

/// Equal weights: samples from first_one on are of the second class.
Moment scan_two_classes(ScanRange range, SampleIndex first_one, double n_ones, const double* inverse);
/// Weights that are whole multiples of a unit: tally is 2 * times + label, and limits.weight is not looked at.
Moment scan_tally(ScanRange range, const std::uint8_t* tally, double ones, std::size_t n_units, const double* inverse);
Moment scan_two_classes(ScanRange range, const std::uint8_t* is_one, const double* weight, double ones, double total);
/// The best score of a cut between blocks.
double best_between_blocks(ScanRange range, double ones, double total, const BlockView& blocks);
/// The same with the sums of its blocks known.
Moment scan_two_classes(ScanRange range, const std::uint8_t* is_one, const double* weight, double ones, double total,
                        const BlockView& blocks);
Moment scan_mean(ScanRange range, const double* y, double mean, bool centred, const double* inverse);
Moment scan_mean(ScanRange range, const double* y, double mean, bool centred, const std::uint8_t* times,
                 std::size_t n_units, const double* inverse);
/// The means give the drop itself: the sum of squares about the mean is taken off.
Moment scan_mean(ScanRange range, const double* y, double mean, bool centred, const double* weight,
                 double total_weight);

}  // namespace spinney
