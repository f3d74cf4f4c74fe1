#include "check.hpp"
#include "spinney/prune/pessimistic.hpp"
#include "spinney/rules/match.hpp"
#include "spinney/rules/post_prune.hpp"
#include "spinney/tree/builder.hpp"

using namespace spinney;

namespace {

/// Conditions 0: x0 <= 2, 1: x0 > 2, 2: x1 among {0, 2}, 3: x1 among {}.
ConditionTable conditions() {
  using enum ConditionKind;
  return {{at_most, above, among, among}, {0, 0, 1, 1}, {2.0, 2.0, 0.0, 0.0}, {0, 0, 0, 2, 2}, {0, 2}};
}

/// Row i holds i % 5 and i % 3; every 7th value of the first column is missing.
std::vector<double> table(std::size_t n_rows) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n_rows; ++i) {
    values.push_back(i % 7 == 3 ? kNaN : static_cast<double>(i % 5));
    values.push_back(static_cast<double>(i % 3));
  }
  return values;
}

Matrix matrix(const std::vector<double>& values) { return {values.data(), 2, 1, values.size() / 2, 2}; }

bool holds(const ConditionTable& table, std::int32_t c, double value) {
  if (table.kind[c] == ConditionKind::at_most) return value <= table.bound[c];
  if (table.kind[c] == ConditionKind::above) return value > table.bound[c];
  for (const std::int32_t code : table.codes(c)) {
    if (value == code) return true;
  }
  return false;
}

bool fires(const ConditionTable& table, std::span<const std::int32_t> rule, const Matrix& x, std::size_t row) {
  for (const std::int32_t c : rule) {
    if (!holds(table, c, x.at(row, table.feature[c]))) return false;
  }
  return true;
}

}  // namespace

TEST(the_pessimistic_bound_has_quinlans_values) {
  CHECK(std::abs(added_errors(6, 0, 0.25) / 6 - 0.206) < 5e-4);
  CHECK(std::abs(added_errors(9, 0, 0.25) / 9 - 0.143) < 5e-4);
  CHECK_NEAR(added_errors(1, 0, 0.25), 0.75);
  CHECK(added_errors(0, 0, 0.25) == 0.0);
  CHECK(added_errors(4, 4, 0.25) == 0.0);
  CHECK_NEAR(added_errors(4, 3.75, 0.25), 0.25);
  CHECK_NEAR(added_errors(10, 0.5, 0.25), 0.5 * (added_errors(10, 0, 0.25) + added_errors(10, 1, 0.25)));
}

TEST(upper_quantiles_are_right_to_twelve_digits) {
  CHECK_NEAR(upper_quantile(0.25), 0.6744897501960817);
  CHECK_NEAR(upper_quantile(0.025), 1.959963984540054);
  CHECK_NEAR(upper_quantile(1e-6), 4.753424308822899);
  CHECK_NEAR(upper_quantile(0.4999), 0.00025066283008800537);
  CHECK(upper_quantile(0.5) == 0.0);
}

TEST(rules_match_as_row_by_row) {
  const ConditionTable known = conditions();
  CHECK(std::string(known.check(2)).empty());
  CHECK(!std::string(known.check(1)).empty());
  const RuleTable rules{{0, 2, 3, 5, 5, 6}, {0, 2, 1, 1, 3, 0}, {0, 1, 0, 1, 0}};  // rule 3 has no condition
  for (const std::size_t n_rows : {1, 63, 64, 65, 2048, 5000}) {
    const std::vector<double> values = table(n_rows);
    const Matrix x = matrix(values);
    std::vector<std::int32_t> first(n_rows, -1), alone(n_rows, -1), count(n_rows, 0);
    Interrupt interrupt;
    match_rules(known, rules, x, first.data(), count.data(), interrupt);
    match_rules(known, rules, x, alone.data(), nullptr, interrupt);
    CHECK(first == alone);
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::int32_t expected_first = -1, expected_count = 0;
      for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        if (!fires(known, rules.conditions(rule), x, row)) continue;
        if (expected_first < 0) expected_first = static_cast<std::int32_t>(rule);
        ++expected_count;
      }
      CHECK(first[row] == expected_first && count[row] == expected_count);
    }
  }
}

TEST(sets_of_rows_are_found_again_after_being_forgotten) {
  const ConditionTable known = conditions();
  const std::vector<double> values = table(200);
  const std::vector<std::int32_t> codes(200, 1);
  const std::vector<double> weight(200, 1.0);
  const RuleRows rows{matrix(values), codes, weight, 2};
  RowBits small(known, rows, 1), large(known, rows);
  for (const std::int32_t c : {0, 1, 2, 3, 2, 0, 1}) {
    const std::vector<Word> forgotten(small.of_condition(c), small.of_condition(c) + small.n_words());
    CHECK(forgotten == std::vector<Word>(large.of_condition(c), large.of_condition(c) + large.n_words()));
  }
  CHECK(small.of_class(0)[0] == 0 && small.of_class(1)[0] == ~Word{0});
}

TEST(post_pruning_drops_what_does_not_help) {
  // Class 1 is x0 > 2, whatever x1 holds: the condition on x1 goes, and the rule for class 0 becomes the default.
  std::vector<double> values;
  std::vector<std::int32_t> codes;
  for (int i = 0; i < 300; ++i) {
    values.push_back(i % 5);
    values.push_back(i % 3);
    codes.push_back(i % 5 > 2 ? 1 : 0);
  }
  const RuleTable rules{{0, 2, 3}, {1, 2, 0}, {1, 0}};
  for (const double heavy : {1.0, 1.5}) {  // equal weights are counted, others are summed
    std::vector<double> weight(300, 1.0);
    weight[0] = heavy;
    Interrupt interrupt;
    const RuleRows rows{matrix(values), codes, weight, 2};
    const PostPruned out = post_prune(conditions(), rules, rows, 0.25, interrupt);
    CHECK(out.origin == (std::vector<std::int32_t>{0}) || out.origin == (std::vector<std::int32_t>{1}));
    CHECK(out.rules.condition.size() == 1);
    CHECK(out.default_label == 1 - out.rules.label[0]);
    CHECK_NEAR(out.totals[0], 179.0 + heavy);
  }
}

TEST(rows_of_weight_zero_are_as_if_absent) {
  const std::vector<double> values = {1, 0, 3, 0, 3, 0};
  const std::vector<std::int32_t> codes = {0, 1, -1};
  const std::vector<double> weight = {1, 1, 0};
  Interrupt interrupt;
  const PostPruned out =
      post_prune(conditions(), {{0, 1, 2}, {0, 1}, {0, 1}}, {matrix(values), codes, weight, 2}, 0.25, interrupt);
  CHECK_NEAR(out.totals[0] + out.totals[1], 2.0);
}

TEST(a_gap_shares_a_row_among_the_leaves) {
  Tree empty;
  empty.n_features = 2;
  empty.n_classes = 2;
  empty.missing = MissingRule::fractional;
  TreeBuilder builder(empty);
  const auto node = [](double a, double b) -> NodeStats { return {{a, b}, a + b, 0.0, 0.0, 1}; };
  Division division{};
  division.test = Test{TestKind::threshold, 0, 2.0, {}, {}};
  builder.divide(builder.add_root(node(3, 1)), division, std::vector{node(3, 0), node(0, 1)});
  const Tree tree = std::move(builder).finish();
  const std::vector<double> values = {kNaN, 0, 5, 0};
  Interrupt interrupt;
  const LeafShares found = leaf_shares(tree, matrix(values), interrupt);
  CHECK(found.row == (std::vector<RowIndex>{0, 0, 1}));
  CHECK(found.leaf == (std::vector<NodeId>{1, 2, 2}));
  CHECK_NEAR(found.share[0], 0.75);
  CHECK_NEAR(found.share[2], 1.0);
}
