#include "spinney/grow/recount.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "spinney/grow/stats.hpp"
#include "spinney/tree/monotone.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

/// Samples at an inner node.
struct Stop {
  NodeId node;
  std::vector<SampleIndex> samples;
  Totals totals;
};

class Recounter {
 public:
  Recounter(Tree& tree, const Dataset& data, const Target& target, const Samples& samples,
            const ObjectiveChoice& criterion)
      : tree_(tree), data_(data), samples_(samples), summarizer_(target, samples, criterion) {}

  void run(Interrupt& interrupt) {
    std::vector<SampleIndex> everyone(samples_.size());
    std::iota(everyone.begin(), everyone.end(), SampleIndex{0});
    arrive(0, std::move(everyone));
    while (!stack_.empty()) {
      interrupt.check();
      const Stop stop = std::move(stack_.back());
      stack_.pop_back();
      divide(stop);
    }
  }

 private:
  /// Stores what samples say of a node, and returns their totals. An inner node is divided later.
  Totals arrive(NodeId node, std::vector<SampleIndex> samples) {
    if (samples.empty()) return {};
    Summary summary = summarizer_.summarize(samples);
    set_stats(tree_, node, summary.stats);
    if (!tree_.is_leaf(node)) stack_.push_back({node, std::move(samples), summary.totals});
    return std::move(summary.totals);
  }

  void divide(const Stop& stop) {
    std::array<std::vector<SampleIndex>, 2> side, placed;
    bool complete = true;
    for (const SampleIndex s : stop.samples) {
      const RowIndex row = samples_.row[s];
      std::int32_t branch = tree_.tests.answer(stop.node, data_.values, row);
      if (branch == kNoBranch) {
        if (complete) placed = side;
        complete = false;
        branch = next_node(tree_, stop.node, data_.values, row) - tree_.first_child[stop.node];
      } else if (!complete) {
        placed[branch].push_back(s);
      }
      side[branch].push_back(s);
    }
    const Totals left = arrive(tree_.first_child[stop.node], std::move(side[0]));
    const Totals right = arrive(tree_.first_child[stop.node] + 1, std::move(side[1]));
    const bool whole = complete || places_gaps(tree_.missing);
    tree_.gain[stop.node] = whole ? summarizer_.drop(stop.totals, left, right) : drop_of(placed);
  }

  /// What the test takes off the loss of the samples that have its value.
  double drop_of(const std::array<std::vector<SampleIndex>, 2>& placed) const {
    if (placed[0].empty() || placed[1].empty()) return 0.0;
    std::vector<SampleIndex> both;
    std::merge(placed[0].begin(), placed[0].end(), placed[1].begin(), placed[1].end(), std::back_inserter(both));
    return summarizer_.drop(summarizer_.summarize(both).totals, summarizer_.summarize(placed[0]).totals,
                            summarizer_.summarize(placed[1]).totals);
  }

  Tree& tree_;
  const Dataset& data_;
  const Samples& samples_;
  Summarizer summarizer_;
  std::vector<Stop> stack_;
};

}  // namespace

void recount(Tree& tree, const Dataset& data, const Target& target, const Samples& samples,
             const ObjectiveChoice& criterion, Interrupt& interrupt) {
  Recounter(tree, data, target, samples, criterion).run(interrupt);
  restore_order(tree);
}

}  // namespace spinney
