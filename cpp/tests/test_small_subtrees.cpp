// Subtrees of few rows are grown by loops of their own: the trees must be those of the general grower.

#include <random>

#include "check.hpp"
#include "problem.hpp"
#include "same_tree.hpp"
#include "spinney/grow/small_subtrees.hpp"

using namespace problem;

namespace {

/// Rows of a few columns, with equal values if steps are few, of two classes or with numbers, some counting twice.
Problem drawn(std::uint64_t seed, std::size_t n, int steps, bool numbers, bool multiples) {
  constexpr std::size_t kColumns = 5;
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  Problem p;
  p.columns.assign(kColumns, {});
  p.n_classes = numbers ? 0 : 2;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < kColumns; ++c)
      p.values.push_back(0.1 * static_cast<double>(below(static_cast<std::uint64_t>(steps))));
    const double signal = p.values[i * kColumns] + 0.3 * static_cast<double>(below(10));
    if (numbers) {
      p.y.push_back(signal);
    } else {
      p.codes.push_back(signal > 0.05 * steps + 1.0 ? 1 : 0);
    }
    p.weight.push_back(multiples ? 0.3 * static_cast<double>(1 + below(3)) : 1.0);
  }
  return p;
}

/// The same parameters in a form that only the general grower takes: all columns may go together, as they may anyhow.
GrowParams general(GrowParams params) {
  params.interactions = {{0, 1, 2, 3, 4}};
  return params;
}

}  // namespace

TEST(small_subtrees_are_those_of_the_general_grower) {
  std::uint64_t seed = 0;
  for (const bool numbers : {false, true}) {
    for (const bool multiples : {false, true}) {
      for (const int steps : {3, 12, 1'000'000}) {
        for (const std::size_t n : {2, 17, 63, 64, 65, 300}) {
          const Problem p = drawn(++seed, n, steps, numbers, multiples);
          GrowParams params;
          params.criterion.name = numbers ? "squared_error" : "gini";
          params.max_surrogates = 0;
          params.seed = seed;
          params.max_features = seed % 3;  // 0: all
          params.min_samples_leaf = 1 + static_cast<std::int64_t>(seed % 2) * 2;
          params.min_impurity_decrease = seed % 5 == 0 ? 0.01 : 0.0;
          if (seed % 4 == 0) params.max_depth = 4;
          for (const std::size_t n_threads : {1, 3})
            CHECK(same_tree(grow_tree(p, params, n_threads), grow_tree(p, general(params))));
        }
      }
    }
  }
}

TEST(small_subtrees_go_on_from_the_leaves_of_a_tree) {
  const Problem p = drawn(7, 300, 50, false, true);
  GrowParams params;
  params.max_surrogates = 0;
  params.max_depth = 2;
  const Tree start = grow_tree(p, params);
  params.max_depth = 100;
  CHECK(same_tree(grow_tree(p, params, 1, &start), grow_tree(p, general(params), 1, &start)));
}

TEST(more_than_thresholds_is_left_to_the_general_grower) {
  const Problem p = drawn(1, 30, 10, false, false);
  Interrupt interrupt;
  const Target target = p.target();
  const Samples samples = make_samples(target, {}, interrupt);
  GrowParams params;
  params.max_surrogates = 0;
  CHECK(SmallSearch(params, target, samples, {}).usable());
  CHECK(!SmallSearch(general(params), target, samples, {}).usable());
  params.criterion.name = "entropy";
  CHECK(!SmallSearch(params, target, samples, {}).usable());
}
