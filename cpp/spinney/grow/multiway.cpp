#include "spinney/grow/multiway.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "spinney/data/cut.hpp"
#include "spinney/data/ties.hpp"
#include "spinney/grow/choose.hpp"
#include "spinney/prefetch.hpp"
#include "spinney/splits/multiway.hpp"
#include "spinney/tolerance.hpp"
#include "spinney/tree/builder.hpp"

namespace spinney {

namespace {

constexpr std::int32_t kUnplaced = -1;
constexpr std::size_t kAhead = 32;  // entries whose values are asked for before they are read

/// A node whose children are being grown. Its rows are the same range of every column of a block; once it is
/// divided they lie child by child, those without a value of the test last.
///
///   [ child 0 ... | child 1 ... | child 2 ... | gaps ... ]
struct Frame {
  NodeId id = 0;
  std::int64_t depth = 0;
  PathKey path = kRootPath;
  std::shared_ptr<SortedColumns> block;
  std::size_t begin = 0, end = 0;
  std::vector<double> classes;
  double weight = 0.0;
  bool whole = true;                   // no row is here in part only
  std::vector<FeatureIndex> features;  // worth a search
  // after the division
  NodeId first_child = kNoNode;
  std::vector<std::size_t> child_begin;  // k + 1 offsets; the last is where the gaps begin
  std::vector<double> share;             // of a row with a gap, by child
  std::vector<std::vector<double>> child_classes;
  std::vector<std::pair<SampleIndex, double>> gaps;  // rows that the test cannot place, with their weight here
  std::size_t next_child = 0;

  std::size_t size() const { return end - begin; }
  std::span<const Entry> column(FeatureIndex f) const { return {block->column(f) + begin, size()}; }
};

/// An entry with its value.
struct Placed {
  double value;
  Entry entry;
};

class MultiwayGrower {
 public:
  MultiwayGrower(GrowInput input, ThreadTeam& team, Interrupt& interrupt)
      : data_(input.data),
        target_(input.target),
        growth_(input.params),
        params_(*input.params.multiway),
        samples_(std::move(input.samples)),
        team_(team),
        interrupt_(interrupt),
        xlogx_(samples_.size()),
        search_(params_, target_.n_classes, xlogx_),
        scratch_(team.size()),
        spare_(team.size()),
        placed_(team.size()),
        branch_(samples_.size(), 0),
        weight_(samples_.size()),
        builder_(empty_tree(input.data.columns.size(), input.target, input.params.criterion, MissingRule::fractional)) {
    for (SampleIndex s = 0; s < samples_.size(); ++s) weight_[s] = samples_.search_weight()[s];
    total_weight_ = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    params_.every_branch = std::max(params_.every_branch, params_.every_branch_fraction * total_weight_);
    keep_values(*input.sorted);
    open_root(std::move(input.sorted));
  }

  Tree run() {
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      if (frame.next_child < frame.share.size()) {
        enter_child(frame);
      } else {
        weigh_gaps(frame, 1.0);
        stack_.pop_back();
      }
    }
    return std::move(builder_).finish();
  }

 private:
  bool takes_codes(FeatureIndex f) const {
    return params_.nominal_only || data_.columns[f].kind == ColumnKind::nominal;
  }
  void keep_values(const SortedColumns& sorted);
  void open_root(std::shared_ptr<SortedColumns> sorted);
  NodeStats stats(const std::vector<double>& classes, std::int64_t n_rows, const std::vector<double>* parent) const;
  bool may_divide(const Frame& frame) const;
  void open(Frame frame);
  MultiwaySplit search(Frame& frame);
  MultiwaySplit search(Frame& frame, std::span<const FeatureIndex> features);
  void complete(const Frame& frame, MultiwaySplit& split) const;
  std::size_t mark(const Frame& frame, const MultiwaySplit& split);
  void divide(Frame& frame, const MultiwaySplit& split, std::size_t n_branches);
  std::vector<NodeStats> summarize(Frame& frame, FeatureIndex feature, std::size_t n_branches) const;
  void arrange_column(const Frame& frame, FeatureIndex feature, std::size_t worker);
  void enter_child(Frame& frame);
  void place(FeatureIndex feature, std::span<const Entry> entries, std::vector<Placed>& out) const;
  std::shared_ptr<SortedColumns> merge_gaps(const Frame& frame, std::size_t child);
  void weigh_gaps(const Frame& frame, double share);

  template <class Task>
  void for_features(std::size_t n_rows, std::size_t n_features, const Task& task) {
    team_.run_if(n_rows * n_features >= kParallelWork, n_features, task);
  }

  const Dataset& data_;
  const Target& target_;
  const GrowParams& growth_;
  MultiwayParams params_;
  Samples samples_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  XLogX xlogx_;
  MultiwaySearch search_;
  std::vector<MultiwayScratch> scratch_;   // by worker
  std::vector<std::vector<Entry>> spare_;  // by worker
  std::vector<std::array<std::vector<Placed>, 3>> placed_;
  std::vector<std::int32_t> branch_;  // by sample, while a node is divided
  std::vector<double> weight_;        // by sample, in the node at hand
  double total_weight_ = 0.0;
  std::vector<std::vector<double>> values_;   // by numeric column: what the training rows hold, ascending
  std::vector<std::uint8_t> many_, counted_;  // columns of very many categories; those in C4.5's average
  std::vector<MultiwaySplit> found_;
  ColumnDraw draw_;
  TreeBuilder builder_;
  std::vector<Frame> stack_;
};

/// Thresholds of C4.5 are values of the training data, so the sorted values are kept beside the sorted rows.
void MultiwayGrower::keep_values(const SortedColumns& sorted) {
  values_.resize(data_.columns.size());
  bool all_many = true;
  for (std::size_t f = 0; f < data_.columns.size(); ++f) {
    const bool codes = takes_codes(static_cast<FeatureIndex>(f));
    many_.push_back(codes && data_.columns[f].n_categories >= 0.3 * total_weight_);
    all_many = all_many && many_.back();
    if (codes) continue;
    const Entry* column = sorted.column(f);
    const std::size_t n = count_observed(column, samples_.size());
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || !column[i].tied()) values_[f].push_back(data_.values.at(samples_.row[column[i].sample()], f));
    }
  }
  if (all_many) std::fill(many_.begin(), many_.end(), 0);
}

void MultiwayGrower::open_root(std::shared_ptr<SortedColumns> sorted) {
  Frame root;
  root.end = samples_.size();
  root.block = std::move(sorted);
  root.classes.assign(target_.n_outputs(), 0.0);
  for (SampleIndex s = 0; s < samples_.size(); ++s) root.classes[samples_.label[s]] += weight_[s];
  root.features = asked_columns(growth_.features, data_.columns.size());
  root.id = builder_.add_root(stats(root.classes, static_cast<std::int64_t>(samples_.size()), nullptr));
  open(std::move(root));
}

/// An empty node knows what its parent knows.
NodeStats MultiwayGrower::stats(const std::vector<double>& classes, std::int64_t n_rows,
                                const std::vector<double>* parent) const {
  NodeStats stats;
  stats.value = classes;
  stats.weight = std::accumulate(classes.begin(), classes.end(), 0.0);
  stats.n_samples = n_rows;
  if (parent && !(stats.weight > 0.0)) {
    stats.value = *parent;
    return stats;
  }
  stats.impurity = std::max(0.0, xlogx_.loss(classes, stats.weight) / stats.weight);
  stats.risk = target_.least_cost(classes);
  return stats;
}

bool MultiwayGrower::may_divide(const Frame& frame) const {
  const double largest = *std::max_element(frame.classes.begin(), frame.classes.end());
  const bool pure = frame.weight - largest < tolerance::kWeight * frame.weight;
  return !pure && frame.depth < growth_.max_depth && frame.weight >= params_.min_split - tolerance::kWeight &&
         frame.weight >= 2.0 * params_.min_branch - tolerance::kWeight && !frame.features.empty();
}

/// Searches a node and, if a test is found, divides it and puts it on the stack.
void MultiwayGrower::open(Frame frame) {
  frame.weight = std::accumulate(frame.classes.begin(), frame.classes.end(), 0.0);
  if (!may_divide(frame)) return;
  interrupt_.check();
  MultiwaySplit split = search(frame);
  if (!split.found) return;
  complete(frame, split);
  const std::size_t n_branches = mark(frame, split);
  divide(frame, split, n_branches);
  stack_.push_back(std::move(frame));
}

/// The best test of a node, or the best of those of the columns that are drawn for it.
MultiwaySplit MultiwayGrower::search(Frame& frame) {
  if (!draws_columns(growth_, data_.columns.size())) {
    draw_.take_all(frame.features);
    return search(frame, draw_.tried());
  }
  draw_.start(growth_, frame.path, frame.features);
  MultiwaySplit best;
  while (!best.found && !draw_.empty()) best = search(frame, draw_.next());
  return best;
}

MultiwaySplit MultiwayGrower::search(Frame& frame, std::span<const FeatureIndex> features) {
  const bool unit = frame.whole && samples_.search_weight().is_equal();
  const MultiwayNode node{frame.classes,
                          frame.weight,
                          unit ? std::span<const double>{} : std::span(weight_),
                          samples_.search_weight().unit,
                          samples_.label,
                          data_,
                          samples_};
  found_.assign(features.size(), {});
  for_features(frame.size(), features.size(), [&](std::size_t i, std::size_t worker) {
    interrupt_.check();
    const FeatureIndex f = features[i];
    found_[i] = takes_codes(f)
                    ? search_.nominal(f, frame.column(f), data_.columns[f].n_categories, node, scratch_[worker])
                    : search_.numeric(f, frame.column(f), node, scratch_[worker]);
  });
  counted_.clear();
  for (std::size_t i = 0; i < features.size(); ++i) {
    counted_.push_back(!many_[features[i]]);
    if (found_[i].constant) std::erase(frame.features, features[i]);
  }
  const std::size_t best = choose_split(found_, counted_, params_);
  return best < found_.size() ? std::move(found_[best]) : MultiwaySplit{};
}

/// Bounds of intervals: the largest training value that is not above the middle between two neighbours.
void MultiwayGrower::complete(const Frame& frame, MultiwaySplit& split) const {
  if (split.last.empty()) return;
  const FeatureIndex f = split.test.feature;
  const auto entries = frame.column(f);
  const auto& values = values_[f];
  const auto value = [&](std::size_t i) { return data_.values.at(samples_.row[entries[i].sample()], f); };
  for (const std::uint32_t last : split.last) {
    const double middle = cut_between(value(last), value(last + 1));
    split.test.cuts.push_back(*(std::upper_bound(values.begin(), values.end(), middle) - 1));
  }
  if (split.test.kind == TestKind::threshold) {
    split.test.threshold = split.test.cuts[0];
    split.test.cuts.clear();
  }
}

/// Writes the branch of every row; returns the number of branches.
std::size_t MultiwayGrower::mark(const Frame& frame, const MultiwaySplit& split) {
  const auto entries = frame.column(split.test.feature);
  const std::size_t n_observed = count_observed(entries.data(), entries.size());
  std::size_t n_branches = split.last.size() + 1, interval = 0;
  auto code = split.test.codes.begin();
  for (const auto& pair : split.test.codes) n_branches = std::max<std::size_t>(n_branches, pair.second + 1);
  for (std::size_t i = 0; i < n_observed; ++i) {
    if (!split.last.empty()) {
      if (interval < split.last.size() && i > split.last[interval]) ++interval;
      branch_[entries[i].sample()] = static_cast<std::int32_t>(interval);
    } else {
      if (i == 0 || !entries[i].tied()) {
        const std::int32_t own = category_of(data_, samples_, split.test.feature, entries[i].sample());
        while (code->first != own) ++code;
      }
      branch_[entries[i].sample()] = code->second;
    }
  }
  for (std::size_t i = n_observed; i < entries.size(); ++i) branch_[entries[i].sample()] = kUnplaced;
  return n_branches;
}

/// Children's class weights and rows; fills in where each child begins and its share of the rows with gaps.
std::vector<NodeStats> MultiwayGrower::summarize(Frame& frame, FeatureIndex feature, std::size_t n_branches) const {
  const auto entries = frame.column(feature);
  const std::size_t n_observed = count_observed(entries.data(), entries.size()), k = target_.n_outputs();
  const auto n_gaps = static_cast<std::int64_t>(entries.size() - n_observed);
  std::vector<std::int64_t> n_rows(n_branches, 0);
  frame.child_classes.assign(n_branches, std::vector<double>(k, 0.0));
  for (const Entry& entry : entries.first(n_observed)) {
    const std::int32_t b = branch_[entry.sample()];
    frame.child_classes[b][samples_.label[entry.sample()]] += weight_[entry.sample()];
    ++n_rows[b];
  }
  std::vector<double> gaps(k, 0.0);
  for (const Entry& entry : entries.subspan(n_observed))
    gaps[samples_.label[entry.sample()]] += weight_[entry.sample()];
  double known = 0.0;
  for (const auto& classes : frame.child_classes) {
    frame.share.push_back(std::accumulate(classes.begin(), classes.end(), 0.0));
    known += frame.share.back();
  }
  frame.child_begin.assign(1, 0);
  std::vector<NodeStats> children;
  for (std::size_t b = 0; b < n_branches; ++b) {
    frame.share[b] /= known;
    frame.child_begin.push_back(frame.child_begin.back() + static_cast<std::size_t>(n_rows[b]));
    auto& classes = frame.child_classes[b];
    for (std::size_t c = 0; c < k && n_gaps > 0; ++c) classes[c] += gaps[c] * frame.share[b];
    if (n_rows[b] > 0) n_rows[b] += n_gaps;
    children.push_back(stats(classes, n_rows[b], &frame.classes));
  }
  return children;
}

void MultiwayGrower::divide(Frame& frame, const MultiwaySplit& split, std::size_t n_branches) {
  const FeatureIndex feature = split.test.feature;
  const std::vector<NodeStats> children = summarize(frame, feature, n_branches);
  std::int32_t largest = 0;
  for (std::size_t b = 1; b < n_branches; ++b) {
    if (children[b].weight > children[largest].weight) largest = static_cast<std::int32_t>(b);
  }
  frame.first_child = builder_.divide(frame.id, {split.test, split.gain * frame.weight, {}, largest}, children);
  if (takes_codes(feature) && split.test.kind == TestKind::multiway && !params_.grouped)
    std::erase(frame.features, feature);  // every child has one category left
  const auto entries = frame.column(feature);
  for (const Entry& entry : entries.subspan(frame.child_begin.back()))
    frame.gaps.emplace_back(entry.sample(), weight_[entry.sample()]);
  std::vector<FeatureIndex> columns = frame.features;
  if (std::find(columns.begin(), columns.end(), feature) == columns.end()) columns.push_back(feature);
  for_features(frame.size(), columns.size(),
               [&](std::size_t i, std::size_t worker) { arrange_column(frame, columns[i], worker); });
}

/// Lays the entries of a column out child by child, in a stable way.
void MultiwayGrower::arrange_column(const Frame& frame, FeatureIndex feature, std::size_t worker) {
  Entry* entries = frame.block->column(feature) + frame.begin;
  const std::size_t n = frame.size(), n_branches = frame.share.size();
  auto& spare = spare_[worker];
  spare.resize(std::max(spare.size(), n));
  std::vector<std::size_t> at(frame.child_begin);
  DealtTies ties(n_branches + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t branch = branch_[entries[i].sample()];
    const std::size_t b = branch == kUnplaced ? n_branches : static_cast<std::size_t>(branch);
    ties.pass(entries[i]);
    spare[at[b]++] = ties.deal(entries[i], b);
  }
  std::copy(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(n), entries);
}

void MultiwayGrower::enter_child(Frame& frame) {
  const std::size_t b = frame.next_child++;
  const std::size_t n_own = frame.child_begin[b + 1] - frame.child_begin[b];
  if (n_own == 0) return;
  Frame child;
  child.id = frame.first_child + static_cast<NodeId>(b);
  child.depth = frame.depth + 1;
  child.path = child_path(frame.path, static_cast<std::int32_t>(b));
  child.classes = std::move(frame.child_classes[b]);
  child.weight = std::accumulate(child.classes.begin(), child.classes.end(), 0.0);
  child.features = frame.features;
  if (!may_divide(child)) return;
  child.whole = frame.whole && frame.gaps.empty();
  if (frame.gaps.empty()) {
    child.block = frame.block;
    child.begin = frame.begin + frame.child_begin[b];
    child.end = child.begin + n_own;
  } else {
    weigh_gaps(frame, frame.share[b]);
    child.block = merge_gaps(frame, b);
    child.end = n_own + frame.gaps.size();
  }
  open(std::move(child));
}

/// Entries with their values, which are looked up before they are compared.
void MultiwayGrower::place(FeatureIndex feature, std::span<const Entry> entries, std::vector<Placed>& out) const {
  out.clear();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto row = [&](std::size_t at) { return samples_.row[entries[at].sample()]; };
    if (i + kAhead < entries.size()) prefetch(data_.values.address(row(i + kAhead), static_cast<std::size_t>(feature)));
    out.push_back({data_.values.at(row(i), static_cast<std::size_t>(feature)), entries[i]});
  }
}

/// The rows of a child and those with gaps, each sorted by every column, as one sorted block.
std::shared_ptr<SortedColumns> MultiwayGrower::merge_gaps(const Frame& frame, std::size_t child) {
  const std::size_t begin = frame.child_begin[child], end = frame.child_begin[child + 1];
  const std::size_t gaps = frame.child_begin.back();
  auto block = std::make_shared<SortedColumns>(data_.columns.size(), end - begin + frame.size() - gaps);
  const auto same = [](const Placed& a, const Placed& b) {
    return a.entry.missing() ? b.entry.missing() : a.value == b.value;
  };
  const auto before = [&](const Placed& a, const Placed& b) {
    if (same(a, b)) return a.entry.sample() < b.entry.sample();
    return b.entry.missing() || a.value < b.value;
  };
  for_features(end - begin, frame.features.size(), [&](std::size_t i, std::size_t worker) {
    const FeatureIndex f = frame.features[i];
    const std::span<const Entry> entries = frame.column(f);
    auto& [own, added, all] = placed_[worker];
    place(f, entries.subspan(begin, end - begin), own);
    place(f, entries.subspan(gaps), added);
    all.resize(own.size() + added.size());
    std::ranges::merge(own, added, all.begin(), before);
    Entry* out = block->column(static_cast<std::size_t>(f));
    for (std::size_t k = 0; k < all.size(); ++k) out[k] = all[k].entry.with_tie(k > 0 && same(all[k - 1], all[k]));
  });
  return block;
}

/// Gives the rows that a test cannot place so much of the weight that they have in its node.
void MultiwayGrower::weigh_gaps(const Frame& frame, double share) {
  for (const auto& [sample, weight] : frame.gaps) weight_[sample] = weight * share;
}

}  // namespace

Tree grow_multiway(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  return MultiwayGrower(std::move(input), team, interrupt).run();
}

}  // namespace spinney
