#pragma once
// Where the members of an ensemble get their differences from: rows, weights, features and targets. What member i
// draws depends on the seed and on i only.

#include <span>
#include <vector>

#include "spinney/forest/learner.hpp"
#include "spinney/random.hpp"

namespace spinney {

enum class SamplingKind : std::uint8_t {
  all,        // every row
  bootstrap,  // `size` rows drawn with replacement
  subsample,  // `size` rows drawn without
  partition,  // one of n_parts disjoint parts of the rows, the parts in turn
  overlap,    // all rows but one of the parts
  wagging,    // every row, with a weight drawn from the exponential distribution
};

enum class TargetChange : std::uint8_t { none, regroup, flip };

struct Sampling {
  SamplingKind kind = SamplingKind::bootstrap;
  std::int64_t size = 0;
  std::int64_t n_parts = 1;
  std::int64_t n_features = 0;  // columns that a member sees; 0: all; -n: those of n draws with replacement
  TargetChange targets = TargetChange::none;
  double flip_rate = 0.0;
  std::uint64_t seed = 0;

  /// What each of n rows counts for in a member; 0: it is left out.
  std::vector<double> counts(std::size_t n_rows, std::uint64_t member) const;
  /// The same by row of a table: what is drawn goes by the place among the rows of positive weight.
  std::vector<double> counts_by_row(const Target& target, std::uint64_t member) const;
  /// The columns that a member sees, ascending; empty: all. What is drawn with replacement may be there twice.
  std::vector<FeatureIndex> features(std::size_t n_columns, std::uint64_t member) const;
  /// The group of each class in a regrouped member: both groups have classes. Empty if classes are told apart.
  std::vector<std::int32_t> groups(std::int32_t n_classes, std::uint64_t member) const;
  /// Labels with some of them changed to another class, each other class as likely. Empty if none are changed.
  std::vector<std::int32_t> flipped(std::span<const std::int32_t> codes, std::int32_t n_classes,
                                    std::uint64_t member) const;
  /// The seed of a member's own growth.
  std::uint64_t growth_seed(std::uint64_t member) const;
  /// All of these. Rows count by their place among the rows of positive weight, whatever their target.
  MemberSample draw(const SharedTable& shared, std::uint64_t member) const;

 private:
  std::vector<std::int32_t> flipped_rows(const SharedTable& shared, std::uint64_t member) const;
};

/// How often each row is drawn when `size` rows are drawn with replacement and chances in proportion to weights.
std::vector<double> draw_by_weight(std::span<const double> weights, std::size_t size, RandomStream random);

}  // namespace spinney
