#include "spinney/forest/boost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spinney {

namespace {

constexpr std::size_t kManySamples = 1 << 12;            // so many that their weights do not fit the nearest cache
constexpr std::uint64_t kDraws = 0x2545f4914f6cdd1dULL;  // keeps drawing of rows apart from growth

/// By sample: what a tree of one threshold answers, from the order of its column. False for any other tree, and where
/// the column has gaps.
bool answer_in_order(const SharedTable& table, const Tree& tree, std::vector<double>& answer) {
  if (!table.sorted || tree.n_nodes() != 3 || tree.tests.kind[0] != TestKind::threshold) return false;
  const FeatureIndex f = tree.tests.feature[0];
  const std::span<const Entry> entries(table.sorted->column(static_cast<std::size_t>(f)), table.samples.size());
  if (entries.back().missing()) return false;
  const auto low = std::ranges::partition_point(entries, [&](const Entry& entry) {
    return table.data.values.at(table.samples.row[entry.sample()], f) <= tree.tests.threshold[0];
  });
  const auto answer_of = [&](NodeId node) { return tree.n_classes > 0 ? tree.label(node) : tree.answers(node)[0]; };
  const double left = answer_of(1), right = answer_of(2);
  auto rest = entries.begin();  // of those that go left, after whole blocks of them
  if (table.blocks) {
    const BlockCodes& blocks = *table.blocks;
    const std::size_t n_whole = static_cast<std::size_t>(low - entries.begin()) / blocks.size;
    const std::uint8_t* const code = blocks.code.data() + static_cast<std::size_t>(f) * blocks.n_samples;
    for (std::size_t s = 0; s < answer.size(); ++s) answer[s] = code[s] < n_whole ? left : right;
    rest += static_cast<std::ptrdiff_t>(n_whole * blocks.size);
  } else {
    std::ranges::fill(answer, right);
  }
  for (; rest != low; ++rest) answer[rest->sample()] = left;
  return true;
}

/// By sample: whether a tree is wrong, or how far it is off.
void find_errors(const SharedTable& table, const Tree& tree, std::vector<double>& off, Interrupt& interrupt) {
  const Samples& samples = table.samples;
  if (!answer_in_order(table, tree, off))
    Predictor(tree).answers(tree, table.data.values, samples.row, off.data(), interrupt);
  const double* const answer = off.data();
  if (tree.n_classes > 0) {
    const std::uint16_t* const label = samples.label.data();
    for (std::size_t s = 0; s < off.size(); ++s) off[s] = answer[s] == label[s] ? 0.0 : 1.0;
  } else {
    for (std::size_t s = 0; s < off.size(); ++s) off[s] = std::abs(answer[s] - (samples.y[s] + samples.y_shift));
  }
}

/// The samples in the order of the table.
std::vector<SampleIndex> by_row(const Samples& samples) {
  std::vector<SampleIndex> order(samples.size());
  std::iota(order.begin(), order.end(), SampleIndex{0});
  std::sort(order.begin(), order.end(), [&](SampleIndex a, SampleIndex b) { return samples.row[a] < samples.row[b]; });
  return order;
}

/// Rows drawn by weight, each drawn row to weigh 1. What is drawn follows the order of the table.
std::vector<double> draw_rows(const BoostPlan& plan, const Samples& samples, std::span<const SampleIndex> order,
                              std::span<const double> weights, std::uint64_t member) {
  std::vector<double> in_order, counts(samples.size());
  for (const SampleIndex s : order) in_order.push_back(weights[s]);
  const std::vector<double> drawn = plan.draw(in_order, member);
  for (std::size_t i = 0; i < order.size(); ++i) counts[order[i]] = drawn[i] / samples.weight[order[i]];
  return counts;
}

}  // namespace

std::vector<double> BoostPlan::draw(std::span<const double> weights, std::uint64_t member) const {
  return draw_by_weight(weights, weights.size(), RandomStream(seed ^ kDraws, member));
}

Boosted boost(BoostInput input, ThreadTeam& team, Interrupt& interrupt) {
  const BoostPlan& plan = input.plan;
  std::vector<SharedTable> tables = share_tables(input.learners, team, interrupt);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (!plan.resample && tables[i].sorted && tables[i].samples.size() >= kManySamples)
      tables[i].blocks = std::make_shared<BlockCodes>(*tables[i].sorted);
  }
  const Samples& samples = tables[0].samples;
  const std::vector<double>& own = samples.weight.values;
  const double total = std::accumulate(own.begin(), own.end(), 0.0);
  Booster booster(plan.rules, own);
  Boosted out;
  MemberSample draw;
  const std::vector<SampleIndex> order = plan.resample ? by_row(samples) : std::vector<SampleIndex>{};
  std::vector<double> off(samples.size());
  for (std::int64_t m = 0; m < plan.n_members; ++m) {
    interrupt.check();
    const auto member = static_cast<std::size_t>(m), turn = member % input.learners.size();
    const std::span<const double> weights = booster.weights();
    Tree tree;
    if (member < input.before.size()) {
      tree = input.before[member];
    } else {
      draw.seed = RandomStream(plan.seed, member).next();
      if (plan.resample) {
        draw.counts = draw_rows(plan, samples, order, weights, member);
      } else {
        draw.counts.resize(samples.size());
        for (std::size_t s = 0; s < own.size(); ++s) draw.counts[s] = weights[s] * total / own[s];
      }
      tree = learn(tables[turn], input.learners[turn].learner, draw, {}, interrupt, &team).tree;
    }
    find_errors(tables[turn], tree, off, interrupt);
    const BoostRound& round = out.rounds.emplace_back(booster.add(off));
    if (round.keep) out.members.push_back({PackedTree(tree), {}});
    const bool enough = input.finished && input.finished(m + 1);
    if (round.stop || enough) break;
  }
  out.weights.assign(input.learners[0].target.n_rows(), 0.0);
  for (SampleIndex s = 0; s < samples.size(); ++s) out.weights[samples.row[s]] = booster.weights()[s];
  return out;
}

}  // namespace spinney
