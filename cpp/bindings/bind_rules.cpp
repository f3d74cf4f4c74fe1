// Rules: matching them with rows, post-pruning them, and the pessimistic bound on errors.

#include <stdexcept>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/prune/pessimistic.hpp"
#include "spinney/rules/match.hpp"
#include "spinney/rules/post_prune.hpp"

namespace spinney::bindings {

namespace {

/// Rules with their conditions, as Python holds them: checked, and never changed.
struct BoundRules {
  ConditionTable conditions;
  RuleTable rules;
  std::int32_t n_features = 0;
};

BoundRules make_rules(std::int32_t n_features, const Vector<std::uint8_t>& kind, const Vector<std::int32_t>& feature,
                      const Vector<double>& bound, const Vector<std::int64_t>& code_begin,
                      const Vector<std::int32_t>& code, const Vector<std::int64_t>& rule_begin,
                      const Vector<std::int32_t>& rule_condition, const Vector<std::int32_t>& label) {
  BoundRules made{{{}, copy(feature), copy(bound), copy(code_begin), copy(code)},
                  {copy(rule_begin), copy(rule_condition), copy(label)},
                  n_features};
  for (const std::uint8_t k : copy(kind)) {
    if (k > static_cast<std::uint8_t>(ConditionKind::among)) throw std::invalid_argument("unknown kind of condition");
    made.conditions.kind.push_back(static_cast<ConditionKind>(k));
  }
  const std::string problem = made.conditions.check(static_cast<std::size_t>(std::max(n_features, 0)));
  if (!problem.empty()) throw std::invalid_argument(problem);
  const auto& begin = made.rules.begin;
  if (begin.empty() || begin.front() != 0 || !std::is_sorted(begin.begin(), begin.end()) ||
      begin.back() != static_cast<std::int64_t>(made.rules.condition.size()) ||
      made.rules.label.size() != made.rules.size()) {
    throw std::invalid_argument("the arrays of the rules differ in length");
  }
  for (const std::int32_t c : made.rules.condition) {
    if (c < 0 || static_cast<std::size_t>(c) >= made.conditions.size())
      throw std::invalid_argument("a rule has a condition that is not there");
  }
  return made;
}

Matrix checked(const BoundRules& self, const Table& x) {
  if (x.shape(1) != static_cast<std::size_t>(self.n_features)) throw std::invalid_argument("wrong number of columns");
  return view(x);
}

nb::tuple match(const BoundRules& self, const Table& x, bool count_all) {
  const Matrix matrix = checked(self, x);
  std::vector<std::int32_t> first(matrix.n_rows, -1), count(count_all ? matrix.n_rows : 0, 0);
  run_hosted([&](Interrupt& interrupt) {
    match_rules(self.conditions, self.rules, matrix, first.data(), count_all ? count.data() : nullptr, interrupt);
  });
  return nb::make_tuple(to_numpy(std::move(first)), to_numpy(std::move(count)));
}

nb::tuple pruned(const BoundRules& self, const Table& x, const Vector<std::int32_t>& codes,
                 const Vector<double>& weight, std::int32_t n_classes, double cf) {
  const RuleRows rows{checked(self, x), view(codes), view(weight), n_classes};
  if (codes.shape(0) != x.shape(0) || weight.shape(0) != x.shape(0))
    throw std::invalid_argument("table, codes and weights differ in length");
  if (!(cf > 0.0 && cf <= 0.5)) throw std::invalid_argument("cf must be above 0 and at most 0.5");
  for (std::size_t i = 0; i < codes.shape(0); ++i) {
    if (rows.weight[i] > 0.0 && (rows.codes[i] < 0 || rows.codes[i] >= n_classes))
      throw std::invalid_argument("a class code is out of range");
  }
  for (const ClassCode label : self.rules.label) {
    if (label < 0 || label >= n_classes) throw std::invalid_argument("a rule's class is out of range");
  }
  PostPruned out;
  run_hosted([&](Interrupt& interrupt) { out = post_prune(self.conditions, self.rules, rows, cf, interrupt); });
  const std::size_t n = out.origin.size(), k = out.totals.size();
  return nb::make_tuple(to_numpy(std::move(out.origin)), to_numpy(std::move(out.rules.begin)),
                        to_numpy(std::move(out.rules.condition)), to_numpy(std::move(out.counts), {n, k}),
                        out.default_label, to_numpy(std::move(out.default_counts)), to_numpy(std::move(out.totals)));
}

}  // namespace

void bind_rules(nb::module_& m) {
  nb::class_<BoundRules>(m, "Rules")
      .def(
          "__init__",
          [](BoundRules* self, std::int32_t n_features, const Vector<std::uint8_t>& kind,
             const Vector<std::int32_t>& feature, const Vector<double>& bound, const Vector<std::int64_t>& code_begin,
             const Vector<std::int32_t>& code, const Vector<std::int64_t>& rule_begin,
             const Vector<std::int32_t>& rule_condition, const Vector<std::int32_t>& label) {
            new (self) BoundRules(
                make_rules(n_features, kind, feature, bound, code_begin, code, rule_begin, rule_condition, label));
          },
          nb::arg("n_features"), nb::arg("kind"), nb::arg("feature"), nb::arg("bound"), nb::arg("code_begin"),
          nb::arg("code"), nb::arg("rule_begin"), nb::arg("rule_condition"), nb::arg("label"))
      .def("match", &match, nb::arg("x").noconvert(), nb::arg("count_all") = false,
           "(first rule that fires or -1, number of rules that fire if count_all) of each row.")
      .def("post_prune", &pruned, nb::arg("x").noconvert(), nb::arg("codes"), nb::arg("weight"), nb::arg("n_classes"),
           nb::arg("cf"),
           "(origin, begin, condition, counts) of the rules that are left, (label, counts) of the default, totals.");

  m.def(
      "leaf_shares",
      [](const BoundTree& tree, const Table& x) {
        if (x.shape(1) != static_cast<std::size_t>(tree.tree().n_features))
          throw std::invalid_argument("wrong number of columns");
        LeafShares out;
        run_hosted([&](Interrupt& interrupt) { out = leaf_shares(tree.tree(), view(x), interrupt); });
        return nb::make_tuple(to_numpy(std::move(out.row)), to_numpy(std::move(out.leaf)),
                              to_numpy(std::move(out.share)));
      },
      nb::arg("tree"), nb::arg("x").noconvert(), "(row, leaf, share) for every leaf that a part of a row reaches.");

  m.def(
      "added_errors",
      [](double total, double errors, double cf) {
        if (!(cf > 0.0 && cf <= 0.5)) throw std::invalid_argument("cf must be above 0 and at most 0.5");
        return added_errors(total, errors, cf);
      },
      nb::arg("total"), nb::arg("errors"), nb::arg("cf"), "Errors to expect beyond those seen, as C4.5.");
}

}  // namespace spinney::bindings
