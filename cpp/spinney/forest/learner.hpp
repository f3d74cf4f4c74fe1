#pragma once
// One member of an ensemble: the rows, columns and classes that it sees, its tree grown and cut back.

#include <memory>
#include <optional>
#include <vector>

#include "spinney/evolve/evolution.hpp"
#include "spinney/grow/grow.hpp"
#include "spinney/igpa/igpa.hpp"

namespace spinney {

enum class MemberPruning : std::uint8_t { none, cross_validated, reduced_error, error_based, mdl };

/// The settings of an estimator of one tree.
struct Learner {
  GrowParams params;
  MemberPruning pruning = MemberPruning::none;
  std::optional<double> ccp_alpha;  // cuts what the pruning has left
  std::int64_t n_folds = 10;
  bool one_standard_error = true;
  double validation_fraction = 0.0;  // rows set aside, for reduced-error pruning or early stopping; 0: none
  std::int64_t patience = 0;         // early stopping
  double cf = 0.25;
  bool raise_subtrees = true;
  bool balanced = false;                 // classes weigh the same in what each member sees
  bool collapse = false;                 // C4.5: branches that save no training error go
  double shrinkage = 0.0;                // strength of the hierarchical shrinkage of what it predicts
  std::optional<IgpaParams> igpa;        // grown and pruned in turn, instead of all this
  std::optional<EvolveSettings> evolve;  // tests are evolved
};

/// A table as all members of one learner see it: sorted once.
struct SharedTable {
  const Dataset& data;
  const Target& target;
  Samples samples;
  std::shared_ptr<SortedColumns> sorted;     // of all samples, which members leave as it is; null with max_bins
  std::shared_ptr<PagePool> pool;            // for the columns of members, who leave their memory to later ones
  std::shared_ptr<const BlockCodes> blocks;  // for boosting; may be null
  std::shared_ptr<const RowValues> values = nullptr;    // for cuts at random; else null
  std::shared_ptr<const BinBorders> borders = nullptr;  // with max_bins: of all samples; else null

  /// The columns of some samples, sorted; null with max_bins.
  std::shared_ptr<SortedColumns> select(std::span<const SampleIndex> new_index, std::size_t n_kept,
                                        Interrupt& interrupt) const;
  /// The values of some samples; null unless cuts are drawn at random.
  std::shared_ptr<const RowValues> select_values(std::span<const SampleIndex> new_index, std::size_t n_kept) const;
};

/// Without its sort, which is made by who knows how it will be used.
SharedTable share_table(const Dataset& data, const Target& target, Interrupt& interrupt);

/// What one member sees of it.
struct MemberSample {
  std::vector<double> counts;          // by sample: what it counts for, times its weight; 0: it is left out
  std::vector<FeatureIndex> features;  // ascending; empty: all
  std::vector<std::int32_t> codes;     // classes by row, where they are others than the target's; else empty
  std::vector<std::int32_t> groups;    // the group of each class; empty: classes are told apart
  std::uint64_t seed = 0;
};

/// Learners other than IGPA have nothing to tell but the tree.
using Learned = IgpaTree;

/// team, if given, helps to grow the tree.
Learned learn(const SharedTable& shared, const Learner& learner, const MemberSample& draw, IgpaReport report,
              Interrupt& interrupt, ThreadTeam* team = nullptr);

}  // namespace spinney
