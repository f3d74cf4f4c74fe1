#pragma once
// Rows in no order but their own: cuts are drawn at random (Geurts, Ernst and Wehenkel 2006), so nothing is sorted.
//
//   samples   [ node a: 0 3 4 9 | node b: 1 2 5 6 7 8 ]      ascending in a node, whatever the column

#include <memory>
#include <span>
#include <vector>

#include "spinney/data/row_values.hpp"
#include "spinney/data/sorted.hpp"
#include "spinney/grow/store.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

/// The rows of a node: a range of a list of samples, which children share with their parent.
struct SampleRange {
  std::shared_ptr<std::vector<SampleIndex>> block;
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
  std::span<SampleIndex> members() const { return {block->data() + begin, size()}; }
};

class RandomStore : public SideStore {
 public:
  using Rows = SampleRange;

  /// values: of the samples; null: they are read from the table, as they must be where rows are shared out.
  RandomStore(const Dataset& data, Samples& samples, std::shared_ptr<const RowValues> values, const GrowParams& params,
              std::size_t n_workers, Interrupt& interrupt)
      : SideStore(data, samples),
        params_(params),
        values_(std::move(values)),
        finds_surrogates_(params.missing == MissingRule::surrogate && params.max_surrogates > 0),
        workers_(n_workers, Worker(interrupt)) {}

  /// The rows of leaf b are those with leaf[sample] == b; returns the rows of each leaf.
  std::vector<SampleRange> start(std::span<const NodeId> leaf, std::size_t n_leaves) const;
  /// Draws one cut, or one set of categories, and judges it, in an empty result.
  void search(const SampleRange& rows, const SearchTask& task, ColumnResult& result, std::size_t worker);
  /// The same for some columns at once, none of which is constrained. task: of any of them.
  void search_together(const SampleRange& rows, const SearchTask& task, std::span<const FeatureIndex> columns,
                       std::span<ColumnResult> results, std::size_t worker);
  /// There is nothing to choose from: a cut that breaks the order was not found.
  void reorder(const SampleRange&, const SearchTask&, ColumnResult&, std::size_t) {}
  /// Parts the rows of the node at once if the values that the test asks are still at hand, as they stand side by side:
  /// position is then how many go left, otherwise 0.
  void complete(const SampleRange& rows, Split& split, std::size_t worker);
  /// Marks the rows of the node left, right or unknown, and parts them at once where none is unknown.
  Marks mark(const SampleRange& rows, const Split& split, bool alone, std::size_t worker);
  std::optional<Surrogate> surrogate(const SampleRange& rows, FeatureIndex feature, const Sides& sides,
                                     SurrogateStyle style, std::size_t worker);
  std::size_t count_left(const SampleRange& rows, const Marks& marks) const;
  void list(const SampleRange& rows, const Marks& marks, Side side, std::vector<SampleIndex>& out) const;
  void list_all(const SampleRange& rows, FeatureIndex, std::vector<SampleIndex>& out) const {
    out.assign(rows.members().begin(), rows.members().end());
  }
  std::pair<SampleRange, SampleRange> divide(SampleRange rows, const Marks& marks, const DivisionPlan& plan,
                                             ThreadTeam* team, std::size_t worker);

  /// By sample; null where they are read from the table.
  const RowValues* values() const { return values_.get(); }
  /// Whether a column is numeric and all its values are at hand.
  bool is_plain(FeatureIndex feature) const {
    return values_ && data_.columns[feature].kind != ColumnKind::nominal && !values_->has_gaps(feature);
  }

 private:
  /// Memory of one worker.
  struct Worker {
    explicit Worker(Interrupt& interrupt) : scratch(interrupt), sorter(interrupt) {}
    Scratch scratch;
    ColumnSorter sorter;
    std::vector<double> value;
    std::span<SampleIndex> in_lanes;                 // the node whose values are there in four lanes
    std::array<FeatureIndex, kRowLanes> lanes = {};  // of these columns
    std::vector<SampleIndex> observed, missing;
    std::vector<std::uint8_t> goes_right;  // by category: 0, 1, or kUnknown where it is none of the node's
    std::vector<std::uint32_t> categories;
  };
  /// A column of a node: the samples with a value, with their values in worker.value.
  struct Observed {
    std::span<const SampleIndex> members;
    double low = 0.0, high = 0.0;
  };

  void search_lanes(const SampleRange& rows, const SearchTask& task, const std::array<FeatureIndex, kRowLanes>& columns,
                    std::span<ColumnResult* const> results, Worker& worker) const;
  double draw_cut(const SearchTask& task, FeatureIndex feature, double low, double high) const;
  Observed observe(const SampleRange& rows, FeatureIndex feature, Worker& worker) const;
  void draw_test(const SearchTask& task, const Observed& observed, Worker& worker, Test& test) const;
  void draw_categories(Test& test, std::size_t n_values, RandomStream& random, Worker& worker) const;
  GivenCut cut_of(const Test& test, std::span<const SampleIndex> members, Worker& worker) const;
  void weigh(Sides& sides, const PartedSamples& parted) const;
  Marks part_plainly(const SampleRange& rows, const Split& split, Worker& worker);
  bool parts_plainly(const Test& test) const { return !finds_surrogates_ && is_plain(test.feature); }
  SampleIndex* room_for(const SampleRange& rows, Worker& worker) const;

  const GrowParams& params_;
  std::shared_ptr<const RowValues> values_;
  bool finds_surrogates_;
  std::vector<Worker> workers_;
};

}  // namespace spinney
