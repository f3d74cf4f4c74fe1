#include "spinney/igpa/igpa.hpp"

#include <algorithm>

#include "spinney/data/subset.hpp"
#include "spinney/grow/recount.hpp"
#include "spinney/prune/reduced_error.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

std::int64_t count_leaves(const Tree& tree) {
  return std::count(tree.first_child.begin(), tree.first_child.end(), kNoNode);
}

/// Weights of some rows, for a target that has no others.
struct Judges {
  std::vector<double> weight;
  Target target;
  double total = 0.0;  // with class scales
};

class Alternation {
 public:
  Alternation(const IgpaInput& input, ThreadTeam& team, Interrupt& interrupt)
      : in_(input), params_(input.params), team_(team), interrupt_(interrupt) {
    const std::int32_t most = *std::max_element(in_.part.begin(), in_.part.end());
    n_parts_ = std::max<std::int32_t>(most + 1, 1);
    for (std::int32_t p = 0; p < n_parts_; ++p) judges_.push_back(judges_of(p));
    for (Judges& judges : judges_) judges.target.weight = judges.weight;
  }

  IgpaTree run() {
    if (n_parts_ < 2) return {grow_on({}, nullptr), {}, true, {}};  // a single row
    IgpaTree out;
    out.settled = false;
    while (!out.settled && static_cast<std::int64_t>(out.history.size()) < in_.igpa.max_iterations) {
      interrupt_.check();
      iterate(out);
      out.settled = has_settled(out.history);
    }
    if (in_.igpa.recounts) {
      recount(out.tree, in_.data, in_.target, in_.samples, params_.criterion, interrupt_);
    }
    return out;
  }

 private:
  Judges judges_of(std::int32_t part) const;
  void iterate(IgpaTree& out);
  Tree grow_on(const std::vector<double>& factor, const Tree* start);
  std::vector<std::uint8_t> fixed(const Tree& tree, const Tree* start, std::int32_t judge) const;
  double growing_error(const Tree& tree, std::int32_t judge) const;
  OutsideAnswers outside(const Tree& grown, std::int32_t judge) const;

  /// Every part has pruned a tree of this size.
  bool has_settled(const std::vector<Iteration>& history) const {
    const auto n = static_cast<std::size_t>(n_parts_);
    return history.size() >= n &&
           std::all_of(history.end() - static_cast<std::ptrdiff_t>(n), history.end(),
                       [&](const Iteration& i) { return i.n_leaves == history.back().n_leaves; });
  }

  const IgpaInput& in_;
  GrowParams params_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  std::int32_t n_parts_ = 0;
  std::vector<Judges> judges_;
};

Judges Alternation::judges_of(std::int32_t part) const {
  Judges out{std::vector<double>(in_.target.n_rows(), 0.0), in_.target, 0.0};
  for (const RowIndex row : in_.samples.row) {
    if (in_.part[row] != part) continue;
    out.weight[row] = in_.target.weight[row];
    out.total += out.weight[row] * in_.target.scale_of(row);
  }
  return out;
}

void Alternation::iterate(IgpaTree& out) {
  const std::size_t i = out.history.size();
  const auto judge = static_cast<std::int32_t>((i + 1) % static_cast<std::size_t>(n_parts_));
  std::vector<double> factor(in_.samples.size());
  for (SampleIndex s = 0; s < factor.size(); ++s) factor[s] = in_.part[in_.samples.row[s]] == judge ? 0.0 : 1.0;
  params_.seed = RandomStream(in_.params.seed, i).next();
  const Tree* start = i > 0 ? &out.tree : nullptr;
  Tree grown = grow_on(factor, start);
  const Judges& judges = judges_[judge];
  if (i == 0 && in_.report.outside) out.outside = outside(grown, judge);
  const ReducedError cut = reduced_error(grown, in_.data.values, judges.target, fixed(grown, start, judge));
  out.tree = collapse(grown, cut.make_leaf);
  out.history.push_back({judge, count_leaves(grown), count_leaves(out.tree),
                         in_.report.growing_errors ? growing_error(out.tree, judge) : 0.0, cut.before / judges.total,
                         cut.after / judges.total});
}

/// The samples of positive factor (all, if there are no factors) divide the leaves of a tree further.
Tree Alternation::grow_on(const std::vector<double>& factor, const Tree* start) {
  SampleSubset kept = factor.empty() ? SampleSubset{in_.samples, {}} : keep_samples(in_.samples, factor);
  std::shared_ptr<SortedColumns> sorted;
  if (in_.sorted) {
    sorted = std::make_shared<SortedColumns>(
        factor.empty() ? in_.sorted->copy()
                       : select_samples(*in_.sorted, kept.new_index, kept.samples.size(), interrupt_));
  }
  if (!in_.igpa.renews_labels || !start) {
    return grow({in_.data, in_.target, params_, std::move(kept.samples), std::move(sorted), nullptr, start, nullptr},
                team_, interrupt_);
  }
  Tree grown = grow({in_.data, in_.target, params_, kept.samples, std::move(sorted), nullptr, start, nullptr}, team_,
                    interrupt_);
  recount(grown, in_.data, in_.target, kept.samples, params_.criterion, interrupt_);
  return grown;
}

/// Nodes that this pruning leaves alone.
std::vector<std::uint8_t> Alternation::fixed(const Tree& tree, const Tree* start, std::int32_t judge) const {
  std::vector<std::uint8_t> out(tree.n_nodes(), 0);
  for (std::size_t node = 0; start && !in_.igpa.prunes_all && node < start->n_nodes(); ++node) {
    out[node] = !start->is_leaf(static_cast<NodeId>(node));  // growth appends: they have kept their numbers
  }
  if (!in_.igpa.keeps_unjudged) return out;
  std::vector<std::uint8_t> reached(tree.n_nodes(), 0);
  for (const RowIndex row : in_.samples.row) {
    if (in_.part[row] != judge) continue;
    NodeId node = 0;
    while (!tree.is_leaf(node)) {
      reached[node] = 1;
      node = next_node(tree, node, in_.data.values, row);
    }
  }
  for (std::size_t node = 0; node < out.size(); ++node) out[node] |= !reached[node];
  return out;
}

double Alternation::growing_error(const Tree& tree, std::int32_t judge) const {
  double sum = 0.0, total = 0.0;
  for (std::int32_t p = 0; p < n_parts_; ++p) {
    if (p == judge) continue;
    total += judges_[p].total;
    const std::vector<double> errors = node_errors(tree, in_.data.values, judges_[p].target);
    for (std::size_t node = 0; node < errors.size(); ++node) {
      if (tree.is_leaf(static_cast<NodeId>(node))) sum += errors[node];
    }
  }
  return sum / total;
}

OutsideAnswers Alternation::outside(const Tree& grown, std::int32_t judge) const {
  OutsideAnswers out;
  for (const RowIndex row : in_.samples.row) {
    if (in_.part[row] == judge) out.rows.push_back(row);
  }
  for (const NodeId node : left_out_nodes(grown, in_.data.values, judges_[judge].target, out.rows))
    out.answers.push_back(grown.n_classes > 0 ? grown.label(node) : grown.answers(node)[0]);
  return out;
}

}  // namespace

IgpaTree grow_and_prune(const IgpaInput& input, ThreadTeam& team, Interrupt& interrupt) {
  return Alternation(input, team, interrupt).run();
}

}  // namespace spinney
