// Pruning: the cost-complexity sequence, errors of its subtrees on other rows, reduced-error pruning.

#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_target.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/prune/cross_validate.hpp"
#include "spinney/prune/description.hpp"
#include "spinney/prune/error_based.hpp"
#include "spinney/prune/reduced_error.hpp"

namespace spinney::bindings {

namespace {

nb::ndarray<nb::numpy, bool> to_mask(const std::vector<std::uint8_t>& marks) {
  auto* data = new bool[marks.size()];
  std::copy(marks.begin(), marks.end(), data);
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  return nb::ndarray<nb::numpy, bool>(data, {marks.size()}, owner);
}

LinkRule rule_of(bool exact) { return exact ? LinkRule::exact : LinkRule::rpart; }

void check_rows(const BoundTree& tree, const Table& x, const BoundTarget& target) {
  if (x.shape(1) != static_cast<std::size_t>(tree.tree().n_features))
    throw std::invalid_argument("wrong number of columns");
  if (x.shape(0) != target.target.n_rows()) throw std::invalid_argument("table and target differ in length");
  if (target.target.n_classes != tree.tree().n_classes)
    throw std::invalid_argument("tree and target differ in classes");
}

}  // namespace

void bind_prune(nb::module_& m) {
  m.def(
      "cost_complexity",
      [](const BoundTree& tree, bool exact) {
        CostComplexity path = cost_complexity(tree.tree(), rule_of(exact));
        return nb::make_tuple(to_numpy(std::move(path.node_alpha)), to_numpy(std::move(path.alphas)),
                              to_numpy(std::move(path.n_leaves)), to_numpy(std::move(path.risks)));
      },
      nb::arg("tree"), nb::arg("exact") = false,
      "(alpha of every node, alphas, leaves, risks) of the pruning sequence.");

  m.def(
      "path_errors",
      [](const BoundTree& tree, const Vector<double>& alphas, const Table& x, const BoundTarget& target, bool exact) {
        check_rows(tree, x, target);
        std::vector<RowIndex> rows(x.shape(0));
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<RowIndex>(i);
        CurveSum sum(alphas.shape(0));
        run_hosted([&](Interrupt& interrupt) {
          sum.add_rows(tree.tree(), cost_complexity(tree.tree(), rule_of(exact)), view(alphas), view(x), target.target,
                       rows, interrupt);
        });
        ErrorCurve curve = sum.curve();
        return nb::make_tuple(to_numpy(std::move(curve.error)), to_numpy(std::move(curve.standard_error)));
      },
      nb::arg("tree"), nb::arg("alphas"), nb::arg("x").noconvert(), nb::arg("target"), nb::arg("exact") = false,
      "Error and standard error of the subtrees at ascending alphas on given rows.");

  m.def(
      "reduced_error",
      [](const BoundTree& tree, const Table& x, const BoundTarget& target) {
        check_rows(tree, x, target);
        return to_mask(reduced_error(tree.tree(), view(x), target.target).make_leaf);
      },
      nb::arg("tree"), nb::arg("x").noconvert(), nb::arg("target"), "Nodes to turn into leaves.");

  m.def(
      "collapse_useless",
      [](const BoundTree& tree) { return std::make_unique<BoundTree>(collapse_useless(tree.tree())); }, nb::arg("tree"),
      "The tree without branches that save no training errors.");

  m.def(
      "error_based",
      [](const BoundTree& tree, const Table& x, const BoundTarget& target, const GrowParams& grown, double cf,
         bool raise_subtrees) {
        check_rows(tree, x, target);
        Tree pruned;
        run_hosted([&](Interrupt& interrupt) {
          pruned = error_based(tree.tree(), view(x), target.target, {cf, raise_subtrees, &grown.criterion}, interrupt);
        });
        return std::make_unique<BoundTree>(std::move(pruned));
      },
      nb::arg("tree"), nb::arg("x").noconvert(), nb::arg("target"), nb::arg("grown"), nb::arg("cf"),
      nb::arg("raise_subtrees"), "The tree pruned by C4.5's estimate of errors, from the rows that grew it.");

  m.def(
      "describe",
      [](const BoundTree& tree) {
        Description bits = describe(tree.tree());
        return nb::make_tuple(to_numpy(std::move(bits.test)), to_numpy(std::move(bits.classes)));
      },
      nb::arg("tree"), "(bits of every node's test, bits of the classes in it as a leaf).");

  m.def(
      "shortest", [](const BoundTree& tree) { return to_mask(shortest(tree.tree())); }, nb::arg("tree"),
      "Nodes to turn into leaves for the shortest description.");
}

}  // namespace spinney::bindings
