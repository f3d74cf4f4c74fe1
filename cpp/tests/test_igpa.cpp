#include "spinney/igpa/igpa.hpp"

#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/data/subset.hpp"
#include "spinney/grow/recount.hpp"
#include "spinney/prune/reduced_error.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/route.hpp"

using namespace spinney;

namespace {

/// A number, a column with ties, a nominal one, gaps; what is asked for, classes or numbers, depends on them.
problem::Problem mixed(std::size_t n, std::int32_t n_classes, bool weighted, std::uint64_t seed) {
  RandomStream random(seed, 0);
  problem::Problem p;
  p.columns = {{ColumnKind::numeric, 0}, {ColumnKind::numeric, 0}, {ColumnKind::nominal, 4}};
  p.n_classes = n_classes;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.uniform(), b = static_cast<double>(random.below(7)),
                 c = static_cast<double>(random.below(4));
    const double score = a + 0.1 * b + (c == 2.0 ? 0.5 : 0.0) + 0.5 * random.uniform();
    p.values.insert(p.values.end(), {random.below(10) == 0 ? kNaN : a, b, random.below(5) == 0 ? kNaN : c});
    if (n_classes > 0) {
      p.codes.push_back(std::min(n_classes - 1, static_cast<std::int32_t>(score * n_classes / 2.0)));
    } else {
      p.y.push_back(score);
    }
    p.weight.push_back(weighted ? static_cast<double>(1 + random.below(4)) / 2.0 : 1.0);
  }
  return p;
}

GrowParams params_for(std::int32_t n_classes, std::int64_t surrogates = 0) {
  GrowParams params;
  if (n_classes == 0) params.criterion.name = "squared_error";
  params.max_surrogates = surrogates;
  return params;
}

/// The same rows, of which every third has been taken out, or all others.
problem::Problem third(problem::Problem p, bool taken) {
  for (std::size_t i = 0; i < p.weight.size(); ++i) {
    if ((i % 3 == 0) != taken) p.weight[i] = 0.0;
  }
  return p;
}

NodeId leaf_of(const Tree& tree, const std::vector<std::uint8_t>& make_leaf, const Matrix& x, std::size_t row) {
  NodeId node = 0;
  while (!tree.is_leaf(node) && !make_leaf[node]) node = next_node(tree, node, x, row);
  return node;
}

bool near(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), check::near);
}

}  // namespace

TEST(a_left_out_row_is_answered_by_what_the_other_rows_leave) {
  for (const std::int32_t n_classes : {0, 2, 3}) {
    for (const bool weighted : {false, true}) {
      const problem::Problem p = mixed(240, n_classes, weighted, 3);
      const Tree tree = problem::grow_tree(third(p, false), params_for(n_classes));
      const problem::Problem judging = third(p, true);
      std::vector<RowIndex> rows;
      for (std::size_t i = 0; i < judging.weight.size(); ++i) {
        if (judging.weight[i] > 0.0) rows.push_back(static_cast<RowIndex>(i));
      }
      const Matrix x = p.data().values;
      const std::vector<NodeId> quick = left_out_nodes(tree, x, judging.target(), rows);
      const std::vector<std::uint8_t> by_all = reduced_error(tree, x, judging.target()).make_leaf;
      std::size_t n_moved = 0;
      CHECK(quick.size() == rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        problem::Problem others = judging;
        others.weight[rows[i]] = 0.0;
        const NodeId slow = leaf_of(tree, reduced_error(tree, x, others.target()).make_leaf, x, rows[i]);
        CHECK(quick[i] == slow);
        n_moved += slow != leaf_of(tree, by_all, x, rows[i]);
      }
      CHECK(n_moved > 0);  // otherwise nothing was left out
    }
  }
}

TEST(a_lone_judge_leaves_nothing_but_the_root) {
  const problem::Problem p = mixed(60, 2, false, 5);
  const Tree tree = problem::grow_tree(third(p, false), GrowParams{});
  problem::Problem judging = p;
  std::fill(judging.weight.begin(), judging.weight.end(), 0.0);
  judging.weight[0] = 1.0;
  const std::vector<RowIndex> rows = {0};
  CHECK(left_out_nodes(tree, p.data().values, judging.target(), rows) == std::vector<NodeId>{0});
}

TEST(counting_again_the_rows_that_grew_a_tree_changes_nothing) {
  for (const std::int32_t n_classes : {0, 2, 3}) {
    for (const bool weighted : {false, true}) {
      for (const std::int64_t surrogates : {0, 2}) {
        const problem::Problem p = mixed(300, n_classes, weighted, 7);
        const GrowParams params = params_for(n_classes, surrogates);
        const Tree before = problem::grow_tree(p, params);
        Tree after = before;
        Interrupt interrupt;
        const Target target = p.target();
        // What they held is gone, so that nothing is right because nobody has touched it.
        for (auto* numbers : {&after.value, &after.stored_impurity, &after.gain})
          std::fill(numbers->begin(), numbers->end(), -1.0);
        after.stored_weight = after.stored_risk = NarrowReals(std::vector<double>(after.n_nodes(), -1.0));
        std::fill(after.n_samples.begin(), after.n_samples.end(), 0);
        for (std::size_t node = 0; node < after.n_nodes(); ++node)
          if (after.is_leaf(static_cast<NodeId>(node))) after.gain[node] = before.gain[node];
        recount(after, p.data(), target, make_samples(target, {}, interrupt), params.criterion, interrupt);
        CHECK(before.n_nodes() > 20);
        CHECK(after.check().empty());
        CHECK(after.first_child == before.first_child && after.default_branch == before.default_branch);
        CHECK(after.tests.feature == before.tests.feature && after.tests.code == before.tests.code);
        CHECK(after.surrogates.lists == before.surrogates.lists);
        CHECK(after.n_samples == before.n_samples);
        CHECK(after.stored_weight == before.stored_weight);
        CHECK(near(after.gain, before.gain));
        if (n_classes > 0) {
          CHECK(after.value == before.value && after.stored_impurity == before.stored_impurity &&
                after.stored_risk == before.stored_risk);
        } else {  // growth adds the rows up in the order of a column
          CHECK(near(after.value, before.value) && near(after.stored_impurity, before.stored_impurity) &&
                near(after.stored_risk.wide(), before.stored_risk.wide()));
        }
      }
    }
  }
}

TEST(nodes_that_no_row_reaches_keep_their_counts) {
  const problem::Problem p = mixed(200, 2, false, 9);
  const Tree before = problem::grow_tree(p, GrowParams{});
  problem::Problem one = p;
  std::fill(one.weight.begin() + 1, one.weight.end(), 0.0);
  Tree after = before;
  Interrupt interrupt;
  const Target target = one.target();
  recount(after, p.data(), target, make_samples(target, {}, interrupt), ObjectiveChoice{}, interrupt);
  std::vector<std::uint8_t> reached(before.n_nodes(), 0);
  for (NodeId node = 0;; node = next_node(before, node, p.data().values, 0)) {
    reached[node] = 1;
    if (before.is_leaf(node)) break;
  }
  for (std::size_t node = 0; node < reached.size(); ++node) {
    CHECK(after.n_samples[node] == (reached[node] ? 1 : before.n_samples[node]));
    CHECK(after.weight(node) == (reached[node] ? 1.0 : before.weight(node)));
  }
}

TEST(rows_are_dealt_evenly_and_so_are_the_rows_of_every_class) {
  for (const std::int32_t n_classes : {0, 2, 3}) {
    problem::Problem p = mixed(101, n_classes, true, 11);
    for (std::size_t i = 0; i < 20; ++i) p.weight[i * 5] = 0.0;
    std::vector<std::int32_t> last;
    for (const std::size_t n_parts : {2, 3, 7}) {
      for (const std::uint64_t seed : {1, 2}) {
        const std::vector<std::int32_t> part = deal_parts(p.target(), n_parts, seed);
        CHECK(part == deal_parts(p.target(), n_parts, seed) && part != last);
        last = part;
        for (std::int32_t c = -1; c < n_classes; ++c) {  // -1: all rows
          std::vector<std::size_t> sizes(n_parts, 0);
          for (std::size_t i = 0; i < part.size(); ++i) {
            CHECK((part[i] == -1) == (p.weight[i] == 0.0));
            if (part[i] >= 0 && (c < 0 || p.codes[i] == c)) ++sizes[static_cast<std::size_t>(part[i])];
          }
          const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
          CHECK(*least > 0 && *most - *least <= 1);
        }
      }
    }
  }
}

TEST(the_loop_ends_when_every_part_has_pruned_a_tree_of_one_size) {
  const problem::Problem p = mixed(300, 2, false, 13);
  ThreadTeam team(1);
  Interrupt interrupt;
  const Dataset data = p.data();
  const Target target = p.target();
  const Samples samples = make_samples(target, {}, interrupt);
  const SortedColumns sorted = sort_columns(data, samples, team, interrupt);
  for (const std::size_t n_parts : {2, 3}) {
    const std::vector<std::int32_t> part = deal_parts(target, n_parts, 4);
    const IgpaTree grown = grow_and_prune(
        {data, target, GrowParams{}, samples, &sorted, part, IgpaParams{}, {true, true}}, team, interrupt);
    CHECK(grown.settled && grown.history.size() >= n_parts);
    CHECK(grown.tree.n_samples[0] == 300);
    for (std::size_t i = 0; i < grown.history.size(); ++i) {
      const Iteration& step = grown.history[i];
      CHECK(step.judge == static_cast<std::int64_t>((i + 1) % n_parts));
      CHECK(step.n_leaves <= step.n_leaves_grown && step.judge_error <= step.judge_error_grown + 1e-12);
      const bool last = i + n_parts >= grown.history.size();
      CHECK(!last || step.n_leaves == grown.history.back().n_leaves);
    }
    const auto judges = std::count(part.begin(), part.end(), 1);
    CHECK(grown.outside.rows.size() == static_cast<std::size_t>(judges));
  }
}
