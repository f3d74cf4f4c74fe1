// What the leaves of trees answer: shrinkage towards the nodes above them, and the training rows that they hold.

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_dataset.hpp"
#include "bound_target.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/forest/leaf_rows.hpp"
#include "spinney/forest/out_of_bag.hpp"
#include "spinney/forest/small.hpp"
#include "spinney/tree/shrink.hpp"

namespace spinney::bindings {

namespace {

void check_strength(double strength) {
  if (!(strength >= 0.0) || !std::isfinite(strength)) throw std::invalid_argument("a strength is finite and >= 0");
}

/// Members with the plans by which their rows were drawn, as Python gives them.
struct BoundDraws {
  std::vector<const EnsemblePlan*> plans;  // one a member

  void check(const Forest& forest, const Target& target, const Table& x) const {
    if (plans.size() != forest.size()) throw std::invalid_argument("members and plans differ in number");
    if (x.shape(0) != target.n_rows()) throw std::invalid_argument("table and target differ in length");
    if (forest.size() > 0 && x.shape(1) != static_cast<std::size_t>(forest.n_features()))
      throw std::invalid_argument("table and forest differ in columns");
  }
  std::vector<DrawnMember> members(std::size_t first) const {
    std::vector<DrawnMember> out;
    for (std::size_t i = first; i < plans.size(); ++i) out.push_back({i, &plans[i]->sampling});
    return out;
  }
};

/// Every tree of a forest, changed.
template <class Change>
std::unique_ptr<Forest> changed(const Forest& forest, std::size_t n_threads, const Change& change) {
  std::vector<Member> members(forest.size());
  run_hosted([&](Interrupt& interrupt) {
    ThreadTeam team(n_threads, &interrupt);
    team.run(members.size(), [&](std::size_t i, std::size_t) {
      interrupt.check();
      members[i] = {PackedTree(change(forest.member(i).tree.unpack())), forest.member(i).groups};
    });
  });
  return std::make_unique<Forest>(std::move(members));
}

nb::tuple judge_again(const Forest& forest, const Table& x, const BoundTarget& bound, const std::string& criterion,
                      const BoundDraws& draws, std::size_t first, bool everyone, std::size_t n_threads) {
  const Target& target = bound.target;
  draws.check(forest, target, x);
  const Dataset data{view(x), {}};
  const std::string name = target.n_classes > 0 ? std::string() : judge_name(judge_choice(criterion, 0), 0);
  Judged judged;
  run_hosted([&](Interrupt& interrupt) {
    ThreadTeam team(n_threads, &interrupt);
    std::vector<const Sampling*> sampling;
    for (const EnsemblePlan* plan : draws.plans) sampling.push_back(&plan->sampling);
    const SharedTable table = share_table(data, target, interrupt);
    judged = judge_members(forest, table, {sampling, first}, bag_judge(name, target), everyone, team, interrupt);
  });
  std::vector<double> records;
  for (const Record& one : judged.records)
    records.insert(records.end(), {one.training_error, one.bag_error, one.bag_weight});
  OutOfBag& bag = judged.out_of_bag;
  return nb::make_tuple(to_numpy(std::move(bag.sums), {target.n_rows(), target.n_outputs()}),
                        to_numpy(std::move(bag.n_votes)), to_numpy(std::move(bag.curve)), bag.n_to_cover,
                        to_numpy(std::move(records), {judged.records.size(), std::size_t{3}}));
}

void check_kinds(const Forest& forest, const std::vector<std::uint8_t>& kind) {
  std::vector<bool> is_there(256);
  for (const std::uint8_t one : kind) is_there[one] = true;
  const auto gap = std::find(is_there.begin(), is_there.end(), false);
  if (kind.size() != forest.size() || std::find(gap, is_there.end(), true) != is_there.end())
    throw std::invalid_argument("each member has a kind, and each kind a member");
}

nb::tuple made_small(const Forest& forest, const std::vector<std::uint8_t>& kind, const Table& x,
                     const BoundTarget& bound, const EnsemblePlan& drawn, const SmallPlan& plan,
                     std::size_t n_threads) {
  check_kinds(forest, kind);
  BoundDraws{std::vector<const EnsemblePlan*>(forest.size(), &drawn)}.check(forest, bound.target, x);
  const Matrix matrix = view(x);
  SmallForest made;
  run_hosted([&](Interrupt& interrupt) {
    ThreadTeam team(n_threads, &interrupt);
    made = small_forest({forest, kind, drawn.sampling, matrix, bound.target}, plan, team, interrupt);
  });
  return nb::make_tuple(std::make_unique<Forest>(std::move(made.forest)), to_numpy(std::move(made.chosen)),
                        to_numpy(std::move(made.distance_chosen)), to_numpy(std::move(made.strength)),
                        to_numpy(std::move(made.share)), to_numpy(std::move(made.kind_loss)), made.power,
                        made.pool_loss, to_numpy(std::move(made.size)), to_numpy(std::move(made.distance)));
}

Order order_of(const std::string& name) {
  if (name == "pool") return Order::pool;
  if (name == "loss") return Order::loss;
  if (name == "margin") return Order::margin;
  if (name == "orientation") return Order::orientation;
  throw std::invalid_argument("no such order: " + name);
}

void bind_shrinkage(nb::module_& m) {
  m.def(
      "shrunk",
      [](const BoundTree& tree, double strength) {
        check_strength(strength);
        return std::make_unique<BoundTree>(shrunk(tree.tree(), strength));
      },
      nb::arg("tree"), nb::arg("strength"), "A tree whose predictions are pulled towards those of the nodes above.");
  m.def(
      "unshrunk", [](const BoundTree& tree) { return std::make_unique<BoundTree>(unshrunk(tree.tree())); },
      nb::arg("tree"), "A tree that predicts as it was grown.");
  m.def(
      "shrunk_forest",
      [](const Forest& forest, double strength, std::size_t n_threads) {
        check_strength(strength);
        return changed(forest, n_threads, [&](const Tree& tree) { return shrunk(tree, strength); });
      },
      nb::arg("forest"), nb::arg("strength"), nb::arg("n_threads") = 1);
  m.def(
      "unshrunk_forest",
      [](const Forest& forest, std::size_t n_threads) { return changed(forest, n_threads, unshrunk); },
      nb::arg("forest"), nb::arg("n_threads") = 1);
  m.def(
      "judge_members",
      [](const Forest& forest, const Table& x, const BoundTarget& target, const std::string& criterion,
         std::vector<const EnsemblePlan*> plans, std::size_t first, bool everyone, std::size_t n_threads) {
        return judge_again(forest, x, target, criterion, {std::move(plans)}, first, everyone, n_threads);
      },
      nb::arg("forest"), nb::arg("x").noconvert(), nb::arg("target"), nb::arg("criterion"), nb::arg("plans"),
      nb::arg("first"), nb::arg("everyone"), nb::arg("n_threads") = 1,
      "(out-of-bag sums, votes by row, error by number of members, members until every row had an answer, errors of "
      "the members), of members with the plans that drew their rows.");

  nb::class_<SmallPlan>(m, "SmallPlan", "How few trees are chosen from a pool, and fitted to it.")
      .def(nb::init<>())
      .def_rw("n_trees", &SmallPlan::n_trees)
      .def_rw("n_drawn", &SmallPlan::n_drawn)
      .def_rw("stop", &SmallPlan::stop)
      .def_rw("seed", &SmallPlan::seed)
      .def_rw("n_staying", &SmallPlan::n_staying)
      .def_rw("reach", &SmallPlan::reach)
      .def_rw("prior_rows", &SmallPlan::prior_rows)
      .def_rw("halvings", &SmallPlan::halvings)
      .def(
          "set_order", [](SmallPlan& self, const std::string& name) { self.order = order_of(name); }, nb::arg("name"))
      .def_rw("doubt", &SmallPlan::doubt)
      .def_rw("n_sweeps", &SmallPlan::n_sweeps);
  m.def(
      "small_forest",
      [](const Forest& pool, const std::vector<std::uint8_t>& kinds, const Table& x, const BoundTarget& target,
         const EnsemblePlan& plan, const Vector<double>& strengths, const SmallPlan& how, std::size_t n_threads) {
        if (pool.size() == 0 || how.n_trees == 0 || how.n_drawn == 0 || how.reach == 0)
          throw std::invalid_argument("nothing to choose from");
        for (const double strength : view(strengths)) check_strength(strength);
        SmallPlan own = how;
        own.strengths = copy(strengths);
        return made_small(pool, kinds, x, target, plan, own, n_threads);
      },
      nb::arg("pool"), nb::arg("kinds"), nb::arg("x").noconvert(), nb::arg("target"), nb::arg("plan"),
      nb::arg("strengths"), nb::arg("how"), nb::arg("n_threads") = 1,
      "(the chosen trees, refitted; their places in the pool, distances from it with each of them; of each kind the "
      "strength of shrinkage, the share and the loss; power, loss of the pool, sizes, and their distances when "
      "refitted), of a pool with a kind for each tree.");

  nb::class_<ShrinkageTrial>(m, "ShrinkageTrial", "Many strengths of shrinkage, tried on rows that trees did not see.")
      .def(
          "__init__",
          [](ShrinkageTrial* self, const BoundTarget& bound, const Vector<double>& strengths,
             const std::string& criterion, bool vote) {
            for (const double strength : view(strengths)) check_strength(strength);
            const bool classes = bound.target.n_classes > 0;
            const std::string name = classes ? std::string() : judge_name(judge_choice(criterion, 0), 0);
            new (self) ShrinkageTrial(bound.target, copy(strengths), name, vote ? Combine::vote : Combine::average);
          },
          nb::arg("target"), nb::arg("strengths"), nb::arg("criterion"), nb::arg("vote"), nb::keep_alive<1, 2>())
      .def(
          "add_tree",
          [](ShrinkageTrial& self, const BoundTree& tree, const Table& x, const Vector<bool>& take) {
            if (take.shape(0) != x.shape(0)) throw std::invalid_argument("one flag a row is needed");
            if (x.shape(1) != static_cast<std::size_t>(tree.tree().n_features))
              throw std::invalid_argument("table and tree differ in columns");
            std::vector<RowIndex> rows;
            for (std::size_t row = 0; row < take.shape(0); ++row) {
              if (take.data()[row]) rows.push_back(static_cast<RowIndex>(row));
            }
            run_hosted([&](Interrupt& interrupt) { self.add_tree(tree.tree(), view(x), rows, interrupt); });
          },
          nb::arg("tree"), nb::arg("x").noconvert(), nb::arg("take").noconvert())
      .def(
          "add_members",
          [](ShrinkageTrial& self, const Forest& forest, const Table& x, const BoundTarget& target,
             std::vector<const EnsemblePlan*> plans, std::size_t first, std::size_t n_threads) {
            const BoundDraws draws{std::move(plans)};
            draws.check(forest, target.target, x);
            run_hosted([&](Interrupt& interrupt) {
              ThreadTeam team(n_threads, &interrupt);
              self.add_members(forest, draws.members(first), view(x), team, interrupt);
            });
          },
          nb::arg("forest"), nb::arg("x").noconvert(), nb::arg("target"), nb::arg("plans"), nb::arg("first"),
          nb::arg("n_threads") = 1)
      .def("losses", [](const ShrinkageTrial& self) { return to_numpy(self.losses()); });
}

void bind_leaf_rows(nb::module_& m) {
  m.def(
      "leaf_rows",
      [](const Forest& forest, const Table& x, const BoundTarget& target, std::vector<const EnsemblePlan*> plans,
         const Vector<std::uint32_t>& place_of_row, std::size_t n_threads) {
        const BoundDraws draws{std::move(plans)};
        draws.check(forest, target.target, x);
        if (place_of_row.shape(0) != x.shape(0)) throw std::invalid_argument("one place a row is needed");
        LeafRows out;
        run_hosted([&](Interrupt& interrupt) {
          ThreadTeam team(n_threads, &interrupt);
          out = leaf_rows(forest, draws.members(0), view(x), target.target, view(place_of_row), team, interrupt);
        });
        return nb::make_tuple(to_numpy(std::move(out.place)), to_numpy(std::move(out.begin)),
                              to_numpy(std::move(out.tree)));
      },
      nb::arg("forest"), nb::arg("x").noconvert(), nb::arg("target"), nb::arg("plans"), nb::arg("place_of_row"),
      nb::arg("n_threads") = 1, "(places of the rows in the leaves, where a node's begin, where a tree's begin).");
  m.def(
      "leaf_quantiles",
      [](const Forest& forest, const Table& x, const Vector<std::int64_t>& members, const Vector<std::uint32_t>& place,
         const Vector<std::uint32_t>& begin, const Vector<std::int64_t>& tree, const Vector<double>& y,
         const Vector<double>& weight, const Vector<double>& quantiles, std::size_t n_threads) {
        for (const std::int64_t i : view(members)) {
          if (i < 0 || i >= static_cast<std::int64_t>(forest.size())) throw nb::index_error("no such member");
        }
        if (forest.size() > 0 && x.shape(1) != static_cast<std::size_t>(forest.n_features()))
          throw std::invalid_argument("table and forest differ in columns");
        if (tree.shape(0) != forest.size() + 1 || y.shape(0) != weight.shape(0))
          throw std::invalid_argument("the rows of leaves are those of another forest");
        const std::size_t n = x.shape(0), n_quantiles = quantiles.shape(0);
        std::vector<double> out(n * n_quantiles);
        run_hosted([&](Interrupt& interrupt) {
          leaf_quantiles(forest, {view(place), view(begin), view(tree), view(y), view(weight)}, view(members), view(x),
                         view(quantiles), out.data(), {n_threads, interrupt});
        });
        return to_numpy(std::move(out), {n, n_quantiles});
      },
      nb::arg("forest"), nb::arg("x").noconvert(), nb::arg("members"), nb::arg("place"), nb::arg("begin"),
      nb::arg("tree"), nb::arg("y"), nb::arg("weight"), nb::arg("quantiles"), nb::arg("n_threads") = 1,
      "Quantiles of the targets in the leaves that rows reach, which the caller has checked.");
}

}  // namespace

void bind_leaves(nb::module_& m) {
  bind_shrinkage(m);
  bind_leaf_rows(m);
}

}  // namespace spinney::bindings
