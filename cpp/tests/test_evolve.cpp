#include <cmath>

#include "check.hpp"
#include "problem.hpp"
#include "spinney/divisor.hpp"
#include "spinney/evolve/evolution.hpp"

using namespace spinney;

namespace {

constexpr TypeId kNumber = 1;
constexpr std::uint64_t kLargest = ~std::uint64_t{0};

Symbol column(std::int32_t place) {
  Symbol symbol;
  symbol.returns = kNumber;
  symbol.column = place;
  return symbol;
}

Symbol constants(std::vector<double> pool) {
  Symbol symbol;
  symbol.kind = SymbolKind::constant;
  symbol.returns = kNumber;
  symbol.pool = std::move(pool);
  symbol.spread = 1.0;
  return symbol;
}

Symbol function(Op op, std::vector<TypeId> takes, TypeId returns) {
  Symbol symbol;
  symbol.kind = SymbolKind::function;
  symbol.returns = returns;
  for (std::size_t i = 0; i < takes.size(); ++i)
    symbol.body.push_back({Op::column, -1 - static_cast<std::int32_t>(i), 0.0});
  symbol.body.push_back({op, 0, 0.0});
  symbol.takes = std::move(takes);
  return symbol;
}

/// Two numbers, constants and all operations.
Language full_language() {
  return Language({column(0), column(1), constants({-1.0, 0.0, 0.5, 2.0}), function(Op::add, {1, 1}, 1),
                   function(Op::subtract, {1, 1}, 1), function(Op::multiply, {1, 1}, 1), function(Op::sine, {1}, 1),
                   function(Op::equal, {1, 1}, 0), function(Op::greater, {1, 1}, 0), function(Op::positive, {1}, 0),
                   function(Op::both, {0, 0}, 0), function(Op::either, {0, 0}, 0), function(Op::negate, {0}, 0)});
}

/// Classes by the sign of a product: no single column tells anything.
problem::Problem chessboard(std::size_t n) {
  RandomStream random(3, 0);
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = 2.0 * random.uniform() - 1.0, b = 2.0 * random.uniform() - 1.0;
    values.insert(values.end(), {a, b});
    codes.push_back(a * b > 0.0 ? 1 : 0);
  }
  return problem::classes(std::move(values), std::vector<Column>(2), std::move(codes), 2);
}

std::vector<Tree> evolve(const problem::Problem& p, const EvolvePlan& plan, std::size_t n_threads) {
  Interrupt interrupt;
  ThreadTeam team(n_threads);
  const Dataset data = p.data();
  const Target target = p.target();
  const Samples samples = make_samples(target, {}, interrupt);
  ObjectiveChoice criterion;
  criterion.name = "entropy";
  const EvolveSettings settings{std::make_shared<const Language>(full_language()), plan};
  Evolution evolution({data, target, criterion, samples, settings, 7});
  while (!evolution.is_done()) evolution.step(team, interrupt);
  return std::move(evolution).take_trees();
}

}  // namespace

TEST(divisors_leave_what_a_division_leaves) {
  RandomStream random(5, 0);
  for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{500}, kLargest / 2,
                                kLargest / 2 + 1, kLargest - 1, kLargest}) {
    const Divisor divisor(n);
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, n - 1, n, kLargest - 1, kLargest})
      CHECK(divisor.left_of(number) == number % n);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t number = random.next() >> random.below(64);
      CHECK(divisor.left_of(number) == number % n);
      const std::uint64_t other = std::max(std::uint64_t{1}, random.next() >> random.below(64));
      CHECK(Divisor(other).left_of(number) == number % other);
      CHECK(Divisor(other).left_of(number / other * other) == 0);
    }
  }
}

TEST(programs_stay_well_typed_and_small_whatever_is_done_to_them) {
  const Language language = full_language();
  constexpr std::size_t kMost = 12;
  RandomStream random(1, 0);
  std::vector<Genes> programs(50);
  for (Genes& genes : programs) language.generate(kTruth, kMost, 4, random.below(2) == 0, random, genes);
  for (int i = 0; i < 20000; ++i) {
    const Genes &one = programs[random.below(50)], &other = programs[random.below(50)];
    Genes next;
    switch (random.below(5)) {
      case 0: cross(language, one, other, kMost, random, next); break;
      case 1: regrow(language, one, kMost, random, next); break;
      case 2: change_symbol(language, one, random, next); break;
      case 3: hoist(language, one, random, next); break;
      default: change_constant(language, one, random, next);
    }
    CHECK(language.is_program(next));
    CHECK(next.size() <= kMost);
    programs[random.below(50)] = next;
  }
}

TEST(blocks_of_rows_answer_as_rows_one_by_one) {
  const Language language = full_language();
  RandomStream random(2, 0);
  constexpr std::size_t kRows = 1403;  // more than a block, and no whole vectors
  std::vector<double> values;
  for (std::size_t i = 0; i < 2 * kRows; ++i) {
    const double u = 20.0 * random.uniform() - 10.0;
    const bool gaps = i < kRows;  // the other column is whole, and far in its last rows
    const double far = i % kRows > kRows - 40 ? 1e300 : 1.0;
    values.push_back(gaps && random.below(9) == 0   ? kNaN
                     : gaps && random.below(9) == 0 ? kInfinity
                                                    : far * std::floor(u * 4.0) / 4.0);
  }
  const Matrix x{values.data(), 1, kRows, kRows, 2};
  const NodeColumns columns(kRows, 2, [&](std::size_t r, std::size_t c) { return x.at(r, c); });
  Evaluator evaluator;
  Truth truth;
  for (int i = 0; i < 300; ++i) {
    Genes genes;
    language.generate(kTruth, 20, 5, i % 2 == 0, random, genes);
    std::vector<Token> tokens;
    language.to_tokens(genes, tokens);
    CHECK(check_expression(tokens, 2).empty());
    evaluator.truth(tokens, columns, truth);
    for (std::size_t row = 0; row < kRows; ++row) {
      const double expected = evaluate(tokens, x, row);
      CHECK(truth.is_true(row) == (expected > 0.0));
      CHECK(truth.is_false(row) == (expected <= 0.0));
    }
  }
}

TEST(the_sine_is_that_of_the_library_but_for_rounding) {
  double off = 0.0;
  for (double x = -50.0; x < 50.0; x += 0.0137) off = std::max(off, std::abs(sine(x) - std::sin(x)));
  CHECK(off < 4e-16);
  CHECK(sine(0.0) == 0.0);
  CHECK(std::isnan(sine(kInfinity)));
  CHECK(sine(1e9) == std::sin(1e9));
}

TEST(a_composed_function_is_written_out) {
  Symbol between;  // (x, low, high) -> x > low and high > x
  between.kind = SymbolKind::function;
  between.takes = {1, 1, 1};
  between.body = {{Op::column, -1, 0.0}, {Op::column, -2, 0.0}, {Op::greater, 0, 0.0}, {Op::column, -3, 0.0},
                  {Op::column, -1, 0.0}, {Op::greater, 0, 0.0}, {Op::both, 0, 0.0}};
  const Language language({column(0), constants({1.0}), constants({5.0}), between});
  std::vector<Token> tokens;
  language.to_tokens(Genes{{0, 0.0}, {1, 1.0}, {2, 5.0}, {3, 0.0}}, tokens);
  CHECK(check_expression(tokens, 1).empty());
  const double values[] = {0.0, 3.0, 7.0};
  const Matrix x{values, 1, 3, 3, 1};
  CHECK(evaluate(tokens, x, 0) == 0.0);
  CHECK(evaluate(tokens, x, 1) == 1.0);
  CHECK(evaluate(tokens, x, 2) == 0.0);
}

TEST(a_product_of_columns_is_found_on_any_number_of_threads) {
  const problem::Problem p = chessboard(400);
  EvolvePlan plan;
  plan.search.population_size = 200;
  plan.search.generations = 30;
  plan.min_entropy = 0.0;
  plan.min_fraction = 0.0;
  const std::vector<Tree> one = evolve(p, plan, 1), three = evolve(p, plan, 3);
  CHECK(one[0].n_nodes() == 3);
  CHECK(one[0].tests.token == three[0].tests.token);
  CHECK(one[0].value == three[0].value);
  for (std::size_t row = 0; row < p.codes.size(); ++row) {
    const NodeId leaf = one[0].first_child[0] + one[0].tests.answer(0, p.data().values, row);
    CHECK(one[0].label(leaf) == p.codes[row]);
  }
}

TEST(expressions_that_are_no_tests_are_refused) {
  const Token x{Op::column, 0, 0.0}, c{Op::constant, 0, 1.0};
  CHECK(check_expression(std::vector<Token>{x, c, {Op::greater, 0, 0.0}}, 1).empty());
  CHECK(!check_expression(std::vector<Token>{x, c, {Op::add, 0, 0.0}}, 1).empty());   // a number
  CHECK(!check_expression(std::vector<Token>{x, {Op::greater, 0, 0.0}}, 1).empty());  // an operand is missing
  CHECK(!check_expression(std::vector<Token>{x, {Op::negate, 0, 0.0}}, 1).empty());   // not of a number
  CHECK(!check_expression(std::vector<Token>{{Op::column, 1, 0.0}, {Op::positive, 0, 0.0}}, 1).empty());
  CHECK(!check_expression(std::vector<Token>{x, {static_cast<Op>(77), 0, 0.0}}, 1).empty());
  CHECK(!check_expression({}, 1).empty());
}
