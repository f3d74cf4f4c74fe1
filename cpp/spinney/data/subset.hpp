#pragma once
// Some of the rows: those of a member, of a fold, of one half.

#include <span>
#include <vector>

#include "spinney/data/target.hpp"

namespace spinney {

/// Some of the samples, in the order of all.
struct SampleSubset {
  Samples samples;
  std::vector<SampleIndex> new_index;  // by sample of all; kAbsent for those left out
};

/// The samples of positive factor, their weights times the factor.
SampleSubset keep_samples(const Samples& all, std::span<const double> factor);

/// The rows of positive weight in a random order, then by class: dealing them out keeps the shares of the classes.
std::vector<RowIndex> deal(const Target& target, std::uint64_t seed);

/// The part of each row when they are dealt out to n_parts, as even as can be in size and in the shares of the
/// classes; -1 for rows of weight 0.
std::vector<std::int32_t> deal_parts(const Target& target, std::size_t n_parts, std::uint64_t seed);

}  // namespace spinney
