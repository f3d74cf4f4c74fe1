#pragma once
// Stand-in tests: how well another column repeats the way that the primary test sends the rows.

#include <functional>
#include <optional>
#include <utility>

#include "spinney/splits/scan.hpp"

namespace spinney {

enum Side : std::uint8_t { kLeft = 0, kRight = 1, kUnknown = 2 };

/// Where the primary test sends the samples of a node, and the weight on each side.
struct Sides {
  const std::uint8_t* of;  // by sample
  double left = 0.0, right = 0.0;
  bool complete = true;  // no sample is of unknown side
};

/// Among which rows the agreement is a share, and sending all the majority way must be beaten.
enum class SurrogateStyle : std::uint8_t {
  agreement,  // rows where both columns have a value (Breiman et al. 1984, section 5.3)
  count,      // rows where the primary column has one: gaps of the surrogate's own count against it
};

/// The best surrogate on one column (entries: the whole node, missing last), if it beats sending every row the
/// majority way.
std::optional<Surrogate> find_surrogate(const Dataset& data, const Samples& samples, FeatureIndex feature,
                                        std::span<const Entry> entries, const Sides& sides, SurrogateStyle style,
                                        Scratch& scratch);

/// The best of those that were found, best first, the first of equals before the others.
std::vector<Surrogate> best_surrogates(std::vector<std::optional<Surrogate>>& found, std::size_t most);

/// Rows of one value, bin or category of the surrogate's column, by the side of the primary test.
struct Tally {
  std::uint32_t rank;
  double left = 0.0, right = 0.0;
  std::size_t rows = 0;  // of known side
};

/// The weight that the primary test sends left and right, if all rows that it places count; otherwise nothing.
using PrimaryWeights = std::optional<std::pair<double, double>>;

/// The same from tallies in rank order; cut(low, high) gives the threshold between two ranks.
std::optional<Surrogate> surrogate_from_tallies(FeatureIndex feature, bool nominal, std::span<const Tally> tallies,
                                                const PrimaryWeights& primary,
                                                const std::function<double(std::uint32_t, std::uint32_t)>& cut);

}  // namespace spinney
