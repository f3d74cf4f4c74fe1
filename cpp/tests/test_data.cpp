#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/data/cut.hpp"
#include "spinney/data/pages.hpp"
#include "spinney/data/radix_sort.hpp"
#include "spinney/random.hpp"

using namespace spinney;

namespace {

problem::Problem one_column(std::vector<double> values, std::vector<std::int32_t> codes) {
  return problem::classes(std::move(values), {{ColumnKind::numeric, 0}}, std::move(codes), 2);
}

Samples samples_of(const problem::Problem& p) {
  Interrupt never;
  return make_samples(p.target(), {}, never);
}

SortedColumns sorted_of(const problem::Problem& p, const Samples& samples) {
  ThreadTeam team(1);
  Interrupt interrupt;
  return sort_columns(p.data(), samples, team, interrupt);
}

}  // namespace

TEST(cuts_stay_below_the_upper_value) {
  const double one = 1.0, next = std::nextafter(1.0, 2.0);
  CHECK(cut_between(one, next) == one);
  CHECK(std::isfinite(cut_between(1.7e308, 1.79e308)));
  CHECK(cut_between(5.0, kInfinity) == 5.0);
  CHECK(cut_between(-kInfinity, kInfinity) == -kInfinity);
  CHECK(cut_between(32.0, 40.0) == 36.0);
}

TEST(samples_stand_in_class_order_without_rows_of_weight_zero) {
  problem::Problem p = one_column({0, 1, 2, 3}, {1, 0, 1, 0});
  p.weight[2] = 0.0;
  const Samples samples = samples_of(p);
  CHECK(samples.row == (std::vector<RowIndex>{1, 3, 0}));
  CHECK(samples.search_weight().is_equal());
}

TEST(columns_are_sorted_with_ties_of_equal_values_and_missing_last) {
  const problem::Problem p = one_column({3, kNaN, -0.0, 0.0, -kInfinity, 1e-310, kNaN}, {0, 0, 0, 0, 0, 0, 0});
  const Samples samples = samples_of(p);
  const SortedColumns sorted = sorted_of(p, samples);
  const std::vector<RowIndex> rows = {4, 2, 3, 5, 0, 1, 6};
  const std::vector<bool> tied = {false, false, true, false, false, false, true};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(samples.row[sorted.column(0)[i].sample()] == rows[i]);
    CHECK(sorted.column(0)[i].tied() == tied[i]);
    CHECK(sorted.column(0)[i].missing() == (i >= 5));
  }
  CHECK(sorted.has_ties(0));
  CHECK(count_observed(sorted.column(0), 7) == 5);
}

TEST(large_columns_are_sorted_like_small_ones) {
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  std::uint64_t state = 1;
  for (int i = 0; i < 10000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    values.push_back(static_cast<double>(state >> 40) - 8e6);
    codes.push_back(static_cast<std::int32_t>(state >> 63));
  }
  const problem::Problem p = one_column(values, codes);
  const Samples samples = samples_of(p);
  const SortedColumns sorted = sorted_of(p, samples);
  bool ascending = true;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double a = values[samples.row[sorted.column(0)[i - 1].sample()]],
                 b = values[samples.row[sorted.column(0)[i].sample()]];
    ascending = ascending && a <= b && (a == b) == sorted.column(0)[i].tied();
  }
  CHECK(ascending);
}

TEST(a_selection_keeps_the_order) {
  const problem::Problem p = one_column({5, 4, 3, 2}, {0, 0, 0, 0});
  const Samples samples = samples_of(p);
  const SortedColumns sorted = sorted_of(p, samples);
  const std::vector<SampleIndex> keep = {0, kAbsent, 1, 2};
  Interrupt interrupt;
  const SortedColumns some = select_samples(sorted, keep, 3, interrupt);
  CHECK(some.column(0)[0].sample() == 2 && some.column(0)[1].sample() == 1 && some.column(0)[2].sample() == 0);
  CHECK(!some.has_ties(0));
}

TEST(threads_run_every_task_once_and_report_the_first_failure) {
  ThreadTeam team(3);
  std::vector<int> seen(100, 0);
  team.run(100, [&](std::size_t i, std::size_t) { ++seen[i]; });
  for (const int n : seen) CHECK(n == 1);
  std::string message;
  try {
    team.run(4, [](std::size_t i, std::size_t) { throw std::runtime_error(std::to_string(i)); });
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  CHECK(!message.empty());
}

TEST(a_radix_sort_is_a_stable_sort_whatever_the_digits) {
  Interrupt interrupt;
  using Item = std::pair<std::uint64_t, std::size_t>;  // key and place
  const std::vector<std::function<double(RandomStream&, std::size_t)>> shapes = {
      [](RandomStream& r, std::size_t) { return r.uniform() - 0.5; },
      [](RandomStream& r, std::size_t) { return std::pow(r.uniform(), -8.0); },
      [](RandomStream& r, std::size_t) { return static_cast<double>(r.below(5)); },
      // Close together, next to one that is far away: the first digits say nothing of the others.
      [](RandomStream& r, std::size_t i) { return i == 3 ? -1e300 : 1e9 + 1e-3 * r.uniform(); },
      [](RandomStream& r, std::size_t i) {
        return static_cast<double>(i % 7) + 1e-12 * static_cast<double>(r.below(50));
      },
      [](RandomStream& r, std::size_t) { return r.below(2) == 0   ? -0.0
                                                : r.below(2) == 0 ? 0.0
                                                                  : kInfinity; },
  };
  for (const auto& shape : shapes) {
    for (const std::size_t n : {0, 1, 2, 24, 25, 1000, 4095, 4096, 30000}) {
      RandomStream random(31, n);
      std::vector<Item> items, spare;
      for (std::size_t i = 0; i < n; ++i) items.emplace_back(sortable(shape(random, i)), i);
      std::vector<Item> sorted = items;
      std::stable_sort(sorted.begin(), sorted.end(), [](const Item& a, const Item& b) { return a.first < b.first; });
      radix_sort(items, spare, [](const Item& item) { return item.first; }, interrupt);
      CHECK(items == sorted);
      for (std::size_t i = 1; i < n; ++i) CHECK(unsortable(items[i - 1].first) <= unsortable(items[i].first));
    }
  }
}

TEST(a_pool_keeps_what_is_given_back_for_the_next_and_shares_nothing_out_twice) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{1} << 18}) {  // from the heap, and from the system
    auto pool = std::make_shared<PagePool>(n * sizeof(int));
    const int* first = nullptr;
    {
      Pages<int> one(n, pool), other(n / 2, pool);
      CHECK(one.get() != other.get());
      first = one.get();
      one.get()[n - 1] = 7;
      Pages<int> moved = std::move(one);
      CHECK(moved.get() == first && moved.get()[n - 1] == 7);
      other = std::move(moved);
      CHECK(other.get() == first);
    }
    const Pages<int> next(n, pool), another(n, pool);
    CHECK(next.get() != another.get());
    CHECK(next.get() == first || another.get() == first);
    pool.reset();  // whose memory lives as long as what was taken from it
    CHECK((next.get() == first ? next : another).get()[n - 1] == 7);
  }
}

TEST(large_pages_hold_what_is_written) {
  for (const std::size_t n : {std::size_t{64}, (std::size_t{1} << 20) + 1}) {
    Pages<std::size_t> room(n);
    room.ask_for_large();
    std::iota(room.get(), room.get() + n, std::size_t{7});
    bool kept = true;
    for (std::size_t i = 0; i < n; ++i) kept = kept && room.get()[i] == i + 7;
    CHECK(kept);
  }
}

TEST(threads_take_from_a_pool_at_the_same_time) {
  constexpr std::size_t n = 100;
  const auto pool = std::make_shared<PagePool>(n * sizeof(std::size_t));
  ThreadTeam team(4);
  std::vector<int> whole(1000, 0);
  team.run(whole.size(), [&](std::size_t task, std::size_t) {
    Pages<std::size_t> own(n, pool);
    std::fill_n(own.get(), n, task);
    whole[task] = std::all_of(own.get(), own.get() + n, [&](std::size_t at) { return at == task; }) ? 1 : 0;
  });
  CHECK(std::ranges::count(whole, 1) == 1000);
}
