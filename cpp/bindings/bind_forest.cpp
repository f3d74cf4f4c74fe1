// Forests: many trees as one structure, and what they answer together.

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_target.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/forest/importance.hpp"

namespace spinney::bindings {

namespace {

Matrix checked(const Forest& forest, const Table& table) {
  if (forest.size() > 0 && table.shape(1) != static_cast<std::size_t>(forest.n_features())) {
    throw std::invalid_argument("the table has " + std::to_string(table.shape(1)) + " columns, the forest needs " +
                                std::to_string(forest.n_features()));
  }
  return view(table);
}

Forest forest_of(const std::vector<const BoundTree*>& trees, const std::vector<std::vector<std::int32_t>>& groups) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const Tree& tree = trees[i]->tree();
    members.push_back({PackedTree(tree), i < groups.size() ? groups[i] : std::vector<std::int32_t>{}});
  }
  Forest forest(std::move(members));
  if (const std::string problem = forest.check(); !problem.empty())
    throw std::invalid_argument("not a forest: " + problem);
  return forest;
}

void check_members(const Forest& forest, const Vector<std::int64_t>& members) {
  for (const std::int64_t i : view(members)) {
    if (i < 0 || i >= static_cast<std::int64_t>(forest.size())) throw nb::index_error("no such member");
  }
}

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<Forest>(m, "Forest")
      .def(
          "__init__",
          [](Forest* self, const std::vector<const BoundTree*>& trees,
             const std::vector<std::vector<std::int32_t>>& groups) { new (self) Forest(forest_of(trees, groups)); },
          nb::arg("trees"), nb::arg("groups") = std::vector<std::vector<std::int32_t>>{})
      .def_prop_ro("n_members", &Forest::size)
      .def_prop_ro("n_classes", &Forest::n_classes)
      .def("n_nodes",
           [](const Forest& self, std::size_t i) {
             if (i >= self.size()) throw nb::index_error();
             return self.member(i).tree.n_nodes();
           })
      .def("tree",
           [](const Forest& self, std::size_t i) {
             if (i >= self.size()) throw nb::index_error();
             return std::make_unique<BoundTree>(self.member(i).tree.unpack());
           })
      .def("cost",
           [](const Forest& self, std::size_t i) {
             if (i >= self.size()) throw nb::index_error();
             return self.member(i).tree.tree().cost;
           })
      .def("groups",
           [](const Forest& self, std::size_t i) {
             if (i >= self.size()) throw nb::index_error();
             return self.member(i).groups;
           })
      .def(
          "sums",
          [](const Forest& self, const Table& x, const Vector<std::int64_t>& members, const Vector<double>& weights,
             bool vote, std::size_t n_threads) {
            const Matrix matrix = checked(self, x);
            check_members(self, members);
            if (weights.shape(0) != 0 && weights.shape(0) != members.shape(0))
              throw std::invalid_argument("members and weights differ in length");
            std::vector<double> out(matrix.n_rows * self.n_outputs());
            run_hosted([&](Interrupt& interrupt) {
              self.add_answers(view(members), view(weights), matrix, vote ? Combine::vote : Combine::average,
                               out.data(), {n_threads, interrupt});
            });
            return to_numpy(std::move(out), {matrix.n_rows, self.n_outputs()});
          },
          nb::arg("x").noconvert(), nb::arg("members"), nb::arg("weights"), nb::arg("vote"), nb::arg("n_threads") = 1,
          "Weighted answers of some members, added up: votes by class, class shares, or means.")
      .def(
          "answers",
          [](const Forest& self, const Table& x, const Vector<std::int64_t>& members, std::size_t n_threads) {
            const Matrix matrix = checked(self, x);
            check_members(self, members);
            std::vector<double> out(members.shape(0) * matrix.n_rows);
            run_hosted(
                [&](Interrupt& interrupt) { self.answers(view(members), matrix, out.data(), {n_threads, interrupt}); });
            return to_numpy(std::move(out), {members.shape(0), matrix.n_rows});
          },
          nb::arg("x").noconvert(), nb::arg("members"), nb::arg("n_threads") = 1,
          "Class codes, or means, of some members, one row a member.")
      .def(
          "permutation_importance",
          [](const Forest& self, const Table& x, const BoundTarget& bound, const EnsemblePlan& plan,
             const Vector<std::int64_t>& members, std::int64_t n_repeats, std::size_t n_threads) {
            const Matrix matrix = checked(self, x);
            check_members(self, members);
            if (matrix.n_rows != bound.target.n_rows())
              throw std::invalid_argument("table and target differ in length");
            std::vector<double> out;
            run_hosted([&](Interrupt& interrupt) {
              ThreadTeam team(n_threads, &interrupt);
              out = permutation_importance({self, matrix, bound.target, plan.sampling, view(members), n_repeats}, team,
                                           interrupt);
            });
            return to_numpy(std::move(out), {members.shape(0), matrix.n_columns});
          },
          nb::arg("x").noconvert(), nb::arg("target"), nb::arg("plan"), nb::arg("members"), nb::arg("n_repeats"),
          nb::arg("n_threads") = 1, "The rise of each member's loss when a column is shuffled, one row a member.")
      .def(
          "apply",
          [](const Forest& self, const Table& x, std::size_t n_threads) {
            const Matrix matrix = checked(self, x);
            std::vector<NodeId> out(matrix.n_rows * self.size());
            run_hosted([&](Interrupt& interrupt) { self.apply(matrix, out.data(), {n_threads, interrupt}); });
            return to_numpy(std::move(out), {matrix.n_rows, self.size()});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads") = 1);
}

}  // namespace spinney::bindings
