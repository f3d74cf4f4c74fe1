// Rows through forests of every kind of test, against the careful way: one tree, one row and one node at a time.

#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <thread>

#include "check.hpp"
#include "spinney/forest/forest.hpp"
#include "spinney/random.hpp"
#include "spinney/tree/builder.hpp"

using namespace spinney;

namespace {

// Two numbers, four and 70 and 150 categories, categories too many for words of bits, and a number.
constexpr std::int32_t kFeatures = 7;
constexpr std::int32_t kCategories[kFeatures] = {0, 0, 4, 70, 150, 2000, 0};

struct Kinds {
  bool sets = false, multiway = false, surrogates = false, expressions = false;
};

std::int32_t draw(RandomStream& random, std::int32_t n) {
  return static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(n)));
}

/// Halves, so that rows have values that are thresholds; now and then an infinite one.
double draw_number(RandomStream& random) {
  const std::int32_t odd = draw(random, 40);
  if (odd < 2) return odd == 0 ? kInfinity : -kInfinity;
  return 0.5 * (draw(random, 21) - 10);
}

/// Some of the categories of a column, each to a branch.
Test draw_categories(RandomStream& random, FeatureIndex feature, std::int32_t n_branches) {
  Test test{n_branches == 2 ? TestKind::subset : TestKind::multiway, feature, kNaN, {}, {}, {}};
  for (std::int32_t code = 0; code < kCategories[feature]; ++code) {
    if (random.below(4) > 0) test.codes.emplace_back(code, draw(random, n_branches));
  }
  return test;
}

Test draw_test(RandomStream& random, const Kinds& kinds, std::int32_t n_branches) {
  static constexpr FeatureIndex kNumbers[] = {0, 1, 6};
  if (kinds.expressions && n_branches == 2 && random.below(5) == 0) {
    Test test{TestKind::expression, -1, kNaN, {}, {}, {}};
    test.tokens = {{Op::column, 0, 0.0}, {Op::column, 1, 0.0}, {Op::add, 0, 0.0}, {Op::positive, 0, 0.0}};
    return test;
  }
  if (kinds.sets && random.below(2) == 0) return draw_categories(random, 2 + draw(random, 4), n_branches);
  const FeatureIndex feature = kNumbers[random.below(3)];
  if (n_branches == 2) return {TestKind::threshold, feature, draw_number(random), {}, {}, {}};
  Test test{TestKind::multiway, feature, kNaN, {}, {}, {}};
  for (std::int32_t cut = 1; cut < n_branches; ++cut) test.cuts.push_back(0.5 * (3 * cut - draw(random, 3) - 6));
  return test;
}

NodeStats draw_stats(RandomStream& random, std::int32_t n_classes) {
  NodeStats stats;
  for (std::int32_t c = 0; c < std::max(n_classes, 1); ++c)
    stats.value.push_back(random.below(5) == 0 ? 0.0 : random.uniform());
  stats.weight = std::accumulate(stats.value.begin(), stats.value.end(), 0.0);
  return stats;
}

Tree draw_tree(RandomStream& random, const Kinds& kinds, std::int32_t n_classes = 3, std::size_t n_tests = 60) {
  Tree empty;
  empty.n_features = kFeatures;
  empty.n_classes = n_classes;
  TreeBuilder builder(empty);
  std::vector<NodeId> leaves = {builder.add_root(draw_stats(random, n_classes))};
  for (std::size_t i = 0; i < n_tests; ++i) {
    const bool many = kinds.multiway && random.below(3) == 0;
    const std::int32_t n_branches = many ? 1 + draw(random, 6) : 2;
    Division division;
    division.test = draw_test(random, kinds, n_branches);
    division.default_branch = draw(random, n_branches);
    for (std::uint64_t s = kinds.surrogates ? random.below(3) : 0; s > 0; --s) {
      Surrogate surrogate{draw_test(random, kinds, n_branches), false, 0.5, 0.5};
      surrogate.reversed = n_branches == 2 && surrogate.test.kind == TestKind::threshold && random.below(2) == 0;
      division.surrogates.push_back(surrogate);
    }
    const std::size_t place = random.below(leaves.size());
    std::vector<NodeStats> children;
    for (std::int32_t c = 0; c < n_branches; ++c) children.push_back(draw_stats(random, n_classes));
    const NodeId first = builder.divide(leaves[place], std::move(division), children);
    leaves[place] = first;
    for (std::int32_t c = 1; c < n_branches; ++c) leaves.push_back(first + c);
  }
  Tree tree = std::move(builder).finish();
  CHECK(tree.check().empty());
  return tree;
}

/// Rows with gaps, infinite numbers, categories that no tree knows and numbers that are none.
std::vector<double> draw_rows(RandomStream& random, std::size_t n) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n * kFeatures; ++i) {
    const std::int32_t n_categories = kCategories[i % kFeatures];
    const std::int32_t odd = draw(random, 30);
    if (odd < 3) {
      values.push_back(kNaN);
    } else if (n_categories == 0) {
      values.push_back(draw_number(random));
    } else {
      constexpr double kStrange[] = {-1.0, -0.0, 0.5, 1e18, 5000.0, kInfinity, -kInfinity, 62.0, 63.0, 64.0};
      values.push_back(odd == 3 ? kStrange[random.below(10)] : draw(random, n_categories));
    }
  }
  return values;
}

Matrix table(const std::vector<double>& values, std::size_t n_columns = kFeatures) {
  return {values.data(), static_cast<std::ptrdiff_t>(n_columns), 1, values.size() / n_columns, n_columns};
}

std::vector<NodeId> careful(const Tree& tree, const Matrix& x) {
  std::vector<NodeId> out;
  for (std::size_t row = 0; row < x.n_rows; ++row) out.push_back(walk(tree, 0, x, row));
  return out;
}

/// Trees with their packed selves and their codes.
struct Coded {
  std::vector<PackedTree> packed;
  std::vector<const PackedTree*> pointers;
  Interrupt interrupt;
  std::optional<CodedForest> forest;

  Coded(const std::vector<Tree>& trees, std::size_t n_columns) {
    for (const Tree& tree : trees) packed.emplace_back(tree);
    for (const PackedTree& tree : packed) pointers.push_back(&tree);
    forest.emplace(pointers, n_columns, interrupt);
  }
  std::vector<NodeId> route(std::size_t t, const RowRange& rows, CodedForest::Codes& codes) const {
    std::vector<NodeId> leaf(rows.size());
    forest->route(t, packed[t], rows, codes, leaf.data());
    return leaf;
  }
};

Forest forest_of(const std::vector<Tree>& trees) {
  std::vector<Member> members;
  for (const Tree& tree : trees) members.push_back({PackedTree(tree), {}});
  return Forest(std::move(members));
}

/// Every row ends in the leaf of the careful way, whoever leads it there.
void check_leaves(const Forest& forest, const std::vector<Tree>& trees, const Matrix& x) {
  Interrupt interrupt;
  std::vector<NodeId> leaf(x.n_rows * trees.size());
  forest.apply(x, leaf.data(), {1, interrupt});
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const std::vector<NodeId> wanted = careful(trees[t], x);
    for (std::size_t row = 0; row < x.n_rows; ++row) CHECK(leaf[row * trees.size() + t] == wanted[row]);
  }
}

/// So many thresholds of column 0, one each, as even a tree as can be.
Tree many_thresholds(std::size_t n, double start) {
  Tree empty;
  empty.n_features = 1;
  TreeBuilder builder(empty);
  const NodeStats stats{{0.0}, 1.0, 0.0, 0.0, 1};
  const NodeStats children[] = {stats, stats};
  struct Part {
    NodeId node;
    std::size_t begin, end;
  };
  std::vector<Part> parts = {{builder.add_root(stats), 0, n}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [node, begin, end] = parts[i];
    if (begin == end) continue;
    const std::size_t middle = begin + (end - begin) / 2;
    Division division;
    division.test = {TestKind::threshold, 0, start + static_cast<double>(middle), {}, {}, {}};
    division.default_branch = static_cast<std::int32_t>(middle % 2);
    const NodeId first = builder.divide(node, std::move(division), children);
    parts.push_back({first, begin, middle});
    parts.push_back({first + 1, middle + 1, end});
  }
  return std::move(builder).finish();
}

/// A threshold of each of some columns, one below the other.
Tree many_columns(std::int32_t n_features, std::int32_t begin, std::int32_t end) {
  Tree empty;
  empty.n_features = n_features;
  TreeBuilder builder(empty);
  const NodeStats stats{{0.0}, 1.0, 0.0, 0.0, 1};
  const NodeStats children[] = {stats, stats};
  NodeId node = builder.add_root(stats);
  for (std::int32_t f = begin; f < end; ++f) {
    Division division;
    division.test = {TestKind::threshold, f, 0.0, {}, {}, {}};
    node = builder.divide(node, std::move(division), children);
  }
  return std::move(builder).finish();
}

constexpr Kinds kEveryKind[] = {{},
                                {.sets = true},
                                {.multiway = true},
                                {.sets = true, .multiway = true},
                                {.surrogates = true},
                                {.sets = true, .surrogates = true},
                                {.expressions = true},
                                {.sets = true, .multiway = true, .surrogates = true, .expressions = true}};

}  // namespace

TEST(codes_lead_every_row_to_the_leaf_of_the_careful_way) {
  RandomStream random(1, 0);
  const std::vector<double> values = draw_rows(random, 1003);
  const Matrix x = table(values);
  for (const Kinds& kinds : kEveryKind) {
    std::vector<Tree> trees;
    for (std::size_t t = 0; t < 12; ++t) trees.push_back(draw_tree(random, t % 3 == 0 ? Kinds{} : kinds, 3, 20 * t));
    const Coded coded(trees, kFeatures);
    CHECK(coded.forest->n_chunks() == 1);
    for (const std::size_t n : {1, 7, 15, 16, 17, 31, 1003}) {
      CodedForest::Codes codes;
      for (std::size_t t = 0; t < trees.size(); ++t) {
        CHECK(coded.forest->has(t));
        std::vector<NodeId> wanted = careful(trees[t], x);
        wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(n));
        CHECK(coded.route(t, {x, 1003 - n, 1003}, codes) == wanted);
      }
    }
  }
}

TEST(one_tree_leads_every_row_to_the_leaf_of_the_careful_way) {
  RandomStream random(2, 0);
  const std::vector<double> values = draw_rows(random, 5000);
  const Matrix x = table(values);
  Interrupt interrupt;
  for (const Kinds& kinds : kEveryKind) {
    for (std::size_t i = 0; i < 5; ++i) {
      const Tree tree = draw_tree(random, kinds);
      std::vector<NodeId> leaf(x.n_rows);
      Predictor(tree).apply(tree, x, leaf.data(), {2, interrupt});
      CHECK(leaf == careful(tree, x));
    }
  }
}

TEST(a_column_with_more_thresholds_than_ranks_divides_a_forest_into_chunks) {
  RandomStream random(3, 0);
  std::vector<double> values = {kNaN, kInfinity, -kInfinity, -1.0, 0.0, 1e9};
  for (std::size_t i = 0; i < 4000; ++i) values.push_back(std::floor(120000.0 * random.uniform()) / 2.0);
  const Matrix x = table(values, 1);
  // 0 and 1 fill a chunk and 2 brings no other threshold; 3 is one too many; 4 alone has too many; 3, 5 and 6 share.
  const std::vector<Tree> trees = {many_thresholds(40000, 0.0),   many_thresholds(65534 - 40000, 40000.0),
                                   many_thresholds(30000, 100.0), many_thresholds(1, 0.5),
                                   many_thresholds(65535, 0.0),   many_thresholds(65533, 1.5),
                                   many_thresholds(3, 2.5)};
  const Coded coded(trees, 1);
  CHECK(coded.forest->n_chunks() == 2);
  CodedForest::Codes codes;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    CHECK(coded.forest->has(t) == (t != 4));
    if (t != 4) CHECK(coded.route(t, {x, 0, x.n_rows}, codes) == careful(trees[t], x));
  }
}

TEST(a_tree_too_large_for_codes_leaves_the_others_theirs) {
  RandomStream random(8, 0);
  std::vector<double> values(150000);
  for (double& v : values) v = random.below(50) == 0 ? kNaN : std::floor(140000.0 * random.uniform()) / 2.0;
  const Matrix x = table(values, 1);
  const std::vector<Tree> trees = {many_thresholds(70000, 0.0), many_thresholds(50, 100.0)};
  const Coded coded(trees, 1);
  CHECK(!coded.forest->has(0) && coded.forest->has(1));
  const Forest forest = forest_of(trees);
  check_leaves(forest, trees, x);
}

TEST(a_forest_of_more_columns_than_places_is_divided_into_chunks) {
  constexpr std::int32_t kColumns = 18000;
  RandomStream random(4, 0);
  std::vector<double> values(50 * static_cast<std::size_t>(kColumns));
  for (double& v : values) v = random.below(6000) == 0 ? (random.below(2) == 0 ? 1.0 : kNaN) : -1.0;
  const Matrix x = table(values, kColumns);
  const std::vector<Tree> trees = {many_columns(kColumns, 0, 10000), many_columns(kColumns, 0, 18000),
                                   many_columns(kColumns, 8000, 18000), many_columns(kColumns, 16000, 18000)};
  const Coded coded(trees, kColumns);
  CodedForest::Codes codes;
  CHECK(coded.forest->n_chunks() == 2);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    CHECK(coded.forest->has(t) == (t != 1));
    if (t != 1) CHECK(coded.route(t, {x, 0, x.n_rows}, codes) == careful(trees[t], x));
  }
}

namespace {

/// Weighted answers, added up one after the other as they are defined.
std::vector<double> plain_sums(const std::vector<Tree>& trees, std::span<const std::int64_t> chosen,
                               std::span<const double> weights, const Matrix& x, Combine combine) {
  const std::size_t k = trees[0].n_outputs();
  std::vector<double> out(x.n_rows * k), own(k);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Tree& tree = trees[static_cast<std::size_t>(chosen[i])];
    for (std::size_t row = 0; row < x.n_rows; ++row) {
      const NodeId leaf = walk(tree, 0, x, row);
      std::fill(own.begin(), own.end(), 0.0);
      if (combine == Combine::vote && tree.n_classes > 0) {
        own[static_cast<std::size_t>(tree.label(leaf))] = 1.0;
      } else {
        add_answer(tree, leaf, 1.0, own.data());
      }
      for (std::size_t c = 0; c < k; ++c) out[row * k + c] += weights[i] * own[c];
    }
  }
  return out;
}

}  // namespace

TEST(members_in_any_order_add_up_to_the_same_bits) {
  RandomStream random(5, 0);
  const std::vector<double> values = draw_rows(random, 5003);
  const std::vector<std::int64_t> chosen = {3, 0, 0, 5, 2, 4, 3};
  const std::vector<double> weights = {0.3, 1.0, 0.1, 2.0, 0.7, 0.2, 0.9};
  for (const std::int32_t n_classes : {0, 2, 3}) {
    std::vector<Tree> trees;
    for (const Kinds& kinds :
         {kEveryKind[0], kEveryKind[1], kEveryKind[3], kEveryKind[5], kEveryKind[6], kEveryKind[7]})
      trees.push_back(draw_tree(random, kinds, n_classes));
    for (const Combine combine : {Combine::vote, Combine::average}) {
      const Forest forest = forest_of(trees);  // the first rows are asked before there are codes
      for (const std::size_t n : {1, 15, 16, 17, 5003, 17, 1, 1025}) {
        for (const std::size_t n_threads : {1, 3}) {
          const Matrix x{values.data(), kFeatures, 1, n, kFeatures};
          Interrupt interrupt;
          std::vector<double> sums(n * forest.n_outputs());
          forest.add_answers(chosen, weights, x, combine, sums.data(), {n_threads, interrupt});
          CHECK(sums == plain_sums(trees, chosen, weights, x, combine));
        }
      }
    }
  }
}

TEST(threads_and_the_order_of_values_in_memory_change_no_leaf) {
  RandomStream random(6, 0);
  const std::size_t n = 40000;
  const std::vector<double> values = draw_rows(random, n);
  std::vector<double> by_column(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) by_column[i % kFeatures * n + i / kFeatures] = values[i];
  std::vector<Tree> trees;
  for (const Kinds& kinds : kEveryKind) trees.push_back(draw_tree(random, kinds));
  const Forest forest = forest_of(trees);
  const Matrix x = table(values), turned{by_column.data(), 1, static_cast<std::ptrdiff_t>(n), n, kFeatures};
  std::vector<NodeId> wanted(n * trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const std::vector<NodeId> leaves = careful(trees[t], x);
    for (std::size_t row = 0; row < n; ++row) wanted[row * trees.size() + t] = leaves[row];
  }
  for (const Matrix& rows : {x, turned}) {
    for (const std::size_t n_threads : {1, 2, 7}) {
      Interrupt interrupt;
      std::vector<NodeId> leaf(wanted.size());
      forest.apply(rows, leaf.data(), {n_threads, interrupt});
      CHECK(leaf == wanted);
    }
  }
}

TEST(coding_can_be_interrupted_and_begun_again) {
  const std::vector<Tree> trees = {many_thresholds(1000, 0.0), many_thresholds(1000, 5.0)};
  const Forest forest = forest_of(trees);
  std::vector<double> values(10000);
  std::iota(values.begin(), values.end(), -10.0);
  const Matrix x = table(values, 1);
  const std::vector<std::int64_t> both = {0, 1};
  std::vector<double> out(x.n_rows * 2);
  Interrupt stop([] { return true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(60));  // so that the host is asked
  bool stopped = false;
  try {
    forest.answers(both, x, out.data(), {1, stop});
  } catch (const Interrupted&) {
    stopped = true;
  }
  CHECK(stopped);
  check_leaves(forest, trees, x);
}

TEST(a_forest_that_claims_very_many_columns_takes_no_memory_for_them) {
  constexpr std::int32_t kMany = std::numeric_limits<std::int32_t>::max();
  const auto stump = [] {
    Tree empty;
    empty.n_features = kMany;
    empty.n_classes = 2;
    TreeBuilder builder(std::move(empty));
    const auto stats = [](double zeros, double ones) {
      NodeStats stats;
      stats.value = {zeros, ones};
      stats.weight = zeros + ones;
      stats.n_samples = 2;
      return stats;
    };
    Division division;
    division.test = {TestKind::threshold, kMany - 1, 0.5, {}, {}, {}};
    builder.divide(builder.add_root(stats(1, 1)), std::move(division), std::array{stats(1, 0), stats(0, 1)});
    return PackedTree(std::move(builder).finish());
  };
  std::vector<Member> members;
  for (int i = 0; i < 2; ++i) members.push_back({stump(), {}});
  const Forest forest(std::move(members));
  std::vector<double> values(64, 0.0), sums(128, 0.0);
  values[5] = 1.0;
  const std::vector<std::int64_t> both = {0, 1};
  Interrupt never;
  const Matrix x{values.data(), 1, 0, values.size(), static_cast<std::size_t>(kMany)};  // all columns are one
  forest.add_answers(both, {}, x, Combine::vote, sums.data(), {1, never});
  CHECK(sums[0] == 2.0 && sums[1] == 0.0);
  CHECK(sums[10] == 0.0 && sums[11] == 2.0);
}
