// The store whose cuts are drawn at random against a naive one: lists of rows, read from the table for every question.

#include <algorithm>
#include <map>
#include <numeric>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/grow/random_store.hpp"
#include "spinney/grow/stats.hpp"

using namespace spinney;

namespace {

struct Case {
  std::int32_t n_classes = 2;
  bool gaps = false, nominal = false, weighted = false;
};

problem::Problem make(const Case& of, std::size_t n, RandomStream& random) {
  problem::Problem p;
  p.n_classes = of.n_classes;
  p.columns.assign(6, {ColumnKind::numeric, 0});  // more than are searched together
  if (of.nominal) p.columns.push_back({ColumnKind::nominal, 5});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < p.columns.size(); ++f) {
      const double x = f == 0 ? random.uniform() : static_cast<double>(random.below(5));
      p.values.push_back(of.gaps && random.below(6) == 0 ? kNaN : x);
    }
    if (of.n_classes > 0) {
      p.codes.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(of.n_classes))));
    } else {
      p.y.push_back(10.0 * random.uniform());
    }
    p.weight.push_back(of.weighted ? 0.25 * static_cast<double>(1 + random.below(5)) : 1.0);
  }
  return p;
}

using Group = std::vector<SampleIndex>;

/// Asks the table by sample.
struct Naive {
  const problem::Problem& p;
  const Samples& samples;

  double value(SampleIndex s, FeatureIndex f) const {
    return p.values[samples.row[s] * p.columns.size() + static_cast<std::size_t>(f)];
  }
  /// Gini's impurity times weight, or the sum of squares around the mean.
  double loss(const Group& group) const {
    double weight = 0.0, sum = 0.0, squares = 0.0;
    std::map<std::int32_t, double> classes;
    for (const SampleIndex s : group) {
      const RowIndex row = samples.row[s];
      weight += p.weight[row];
      if (p.n_classes > 0) classes[p.codes[row]] += p.weight[row];
      if (p.n_classes == 0) sum += p.weight[row] * p.y[row];
    }
    for (const auto& [code, w] : classes) squares += w * w;
    if (p.n_classes > 0) return weight - squares / weight;
    double around = 0.0;
    for (const SampleIndex s : group)
      around += p.weight[samples.row[s]] * std::pow(p.y[samples.row[s]] - sum / weight, 2);
    return around;
  }
  /// kNoBranch without a value, or for a category that the test does not name.
  std::int32_t branch(const Test& test, SampleIndex s) const {
    const double x = value(s, test.feature);
    if (std::isnan(x)) return kNoBranch;
    if (test.kind == TestKind::threshold) return x <= test.threshold ? 0 : 1;
    for (const auto& [code, to] : test.codes) {
      if (code == static_cast<std::int32_t>(x)) return to;
    }
    return kNoBranch;
  }
  std::vector<double> values(const Group& group, FeatureIndex f) const {
    std::vector<double> out;
    for (const SampleIndex s : group) {
      if (!std::isnan(value(s, f))) out.push_back(value(s, f));
    }
    return out;
  }
};

/// What a search found: a test between the extremes, which drops what it drops.
void check_search(const Naive& naive, const Group& group, FeatureIndex f, const ColumnResult& found) {
  const std::vector<double> values = naive.values(group, f);
  const bool constant = values.empty() || *std::max_element(values.begin(), values.end()) ==
                                              *std::min_element(values.begin(), values.end());
  CHECK(found.constant == constant && found.split.found() == !constant);
  if (constant) return;
  const Test& test = found.split.test;
  CHECK(test.feature == f);
  Group side[2], known;
  for (const SampleIndex s : group) {
    const std::int32_t b = naive.branch(test, s);
    CHECK((b == kNoBranch) == std::isnan(naive.value(s, f)));
    if (b != kNoBranch) side[b].push_back(s), known.push_back(s);
  }
  CHECK(!side[0].empty() && !side[1].empty());
  if (side[0].empty() || side[1].empty()) return;
  const double drop = naive.loss(known) - naive.loss(side[0]) - naive.loss(side[1]);
  CHECK(std::abs(found.split.drop - drop) <= 1e-9 * (1.0 + naive.loss(known)));
}

/// Divides nodes by tests of the store, and compares what it says of their rows. Returns how often rows were parted by
/// values that were still at hand.
std::size_t compare(const problem::Problem& p, RandomStream& random) {
  std::size_t n_at_hand = 0;
  Interrupt never;
  ThreadTeam alone(1);
  const Dataset data = p.data();
  const Target target = p.target();
  Samples samples = make_samples(target, {}, never);
  const Naive naive{p, samples};
  GrowParams params;
  params.criterion.name = p.n_classes > 0 ? "gini" : "squared_error";
  params.missing = MissingRule::majority;
  params.random_cuts = true;
  params.seed = random.next();
  RandomStore store(data, samples, std::make_shared<const RowValues>(data, samples, alone), params, 1, never);
  const std::unique_ptr<Scan> scan = make_scan(params.criterion, samples);
  const Summarizer summarizer(target, samples, params.criterion);
  std::vector<std::pair<SampleRange, Group>> open(1);
  open[0].first = store.start(std::vector<NodeId>(samples.size(), 0), 1)[0];
  open[0].second.resize(samples.size());
  std::iota(open[0].second.begin(), open[0].second.end(), SampleIndex{0});
  for (PathKey path = kRootPath; !open.empty(); ++path) {
    const auto [rows, group] = open.back();
    open.pop_back();
    CHECK(std::equal(group.begin(), group.end(), rows.members().begin(), rows.members().end()));
    const Summary summary = summarizer.summarize(group);
    if (summary.pure) continue;
    std::vector<Split> splits;
    const SearchTask task{0, *scan, summary.totals, {}, path, params.missing};
    const std::vector<FeatureIndex> all = asked_columns({}, p.columns.size());
    std::vector<ColumnResult> together(all.size());
    store.search_together(rows, task, all, together, 0);
    for (const FeatureIndex f : all) {
      ColumnResult found;
      store.search(rows, task.of(f), found, 0);
      check_search(naive, group, f, found);
      check_search(naive, group, f, together[f]);
      CHECK(same_bits(found.split.test.threshold, together[f].split.test.threshold));
      if (found.split.found()) splits.push_back(std::move(found.split));
    }
    if (splits.empty()) continue;
    std::vector<ColumnResult> again(all.size());
    if (random.below(2) == 0) store.search_together(rows, task, all, again, 0);
    Split& split = splits[random.below(splits.size())];
    store.complete(rows, split, 0);
    n_at_hand += split.position > 0 ? 1 : 0;
    Marks marks = store.mark(rows, split, false, 0);
    store.place_unknown(marks, Fork(split.test, {}, 1));
    Group side[2];
    for (const SampleIndex s : group) side[naive.branch(split.test, s) == 0 ? 0 : 1].push_back(s);
    Group listed;
    for (const Side b : {kLeft, kRight}) {
      store.list(rows, marks, b, listed);
      CHECK(listed == side[b]);
    }
    CHECK(store.count_left(rows, marks) == side[0].size());
    auto [left, right] = store.divide(rows, marks, {side[0].size(), side[1].size(), true, true, all}, nullptr, 0);
    open.emplace_back(std::move(left), side[0]);
    open.emplace_back(std::move(right), side[1]);
  }
  return n_at_hand;
}

}  // namespace

TEST(the_store_of_random_cuts_is_a_naive_store) {
  RandomStream random(8, 1);
  std::size_t n_at_hand = 0;
  for (const std::int32_t n_classes : {0, 2, 3}) {
    for (int kind = 0; kind < 8; ++kind) {
      const Case of{n_classes, (kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0};
      for (int round = 0; round < 6; ++round) n_at_hand += compare(make(of, 3 + random.below(70), random), random);
    }
  }
  CHECK(n_at_hand > 100);
}
