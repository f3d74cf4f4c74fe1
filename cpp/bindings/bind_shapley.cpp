// Shapley values of trees and forests.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <functional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/forest/forest.hpp"
#include "spinney/shapley/shapley.hpp"

namespace spinney::bindings {

namespace {

/// What is asked of one tree, or of the trees of a forest one after the other.
struct Asked {
  Matrix x;
  std::optional<Matrix> background;
  std::size_t n_outputs;
  bool pairs;
};

void add_tree(const Tree& tree, const LeafRule& rule, const Asked& asked, ShapleySums& sums, const Work& work) {
  work.interrupt.check();
  const PathTree paths(tree, rule, asked.n_outputs);
  if (asked.background) {
    add_by_background(paths, asked.x, *asked.background, sums, work);
  } else {
    add_by_cover(paths, asked.x, sums, work);
  }
}

/// values, or the interactions instead; what is expected; the first row that was divided, -1 if none was.
using Result = std::tuple<nb::ndarray<nb::numpy, double>, nb::ndarray<nb::numpy, double>, std::int64_t>;

Result run(const Asked& asked, std::size_t n_threads, const std::function<void(ShapleySums&, const Work&)>& add) {
  ShapleySums sums(asked.x, asked.n_outputs, asked.pairs);
  run_hosted([&](Interrupt& interrupt) { add(sums, {n_threads, interrupt}); });
  const std::size_t n = asked.x.n_rows, m = asked.x.n_columns, k = asked.n_outputs;
  const std::size_t divided = sums.first_divided;
  if (asked.pairs) set_diagonals(m, k, sums);
  auto values =
      asked.pairs ? to_numpy(std::move(sums.interactions), {n, m, m, k}) : to_numpy(std::move(sums.values), {n, m, k});
  return {std::move(values), to_numpy(std::move(sums.expected)), divided < n ? static_cast<std::int64_t>(divided) : -1};
}

Asked checked(const Table& x, const std::optional<Table>& background, std::int32_t n_features, std::size_t n_outputs,
              bool pairs) {
  const auto fits = [&](const Table& table) { return table.shape(1) == static_cast<std::size_t>(n_features); };
  if (!fits(x) || (background && !fits(*background)))
    throw std::invalid_argument("the tables need " + std::to_string(n_features) + " columns");
  if (background && background->shape(0) == 0) throw std::invalid_argument("the background has no rows");
  Asked asked{view(x), std::nullopt, n_outputs, pairs};
  if (background) asked.background = view(*background);
  return asked;
}

nb::ndarray<nb::numpy, bool> as_mask(const std::vector<std::uint8_t>& marks, std::size_t n, std::size_t m) {
  auto owned = std::make_unique<bool[]>(marks.size());
  std::copy(marks.begin(), marks.end(), owned.get());
  bool* const data = owned.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  return nb::ndarray<nb::numpy, bool>(data, {n, m}, owner);
}

}  // namespace

void bind_shapley(nb::module_& m) {
  m.def(
      "shapley_of_tree",
      [](const BoundTree& bound, const Table& x, const std::optional<Table>& background, bool pairs,
         std::size_t n_threads) {
        const Tree& tree = bound.tree();
        const Asked asked = checked(x, background, tree.n_features, tree.n_outputs(), pairs);
        return run(asked, n_threads,
                   [&](ShapleySums& sums, const Work& work) { add_tree(tree, {}, asked, sums, work); });
      },
      nb::arg("tree"), nb::arg("x").noconvert(), nb::arg("background").none(), nb::arg("pairs"),
      nb::arg("n_threads") = 1);
  m.def(
      "shapley_of_forest",
      [](const Forest& forest, const Table& x, const std::optional<Table>& background, bool pairs,
         const Vector<std::int64_t>& members, const Vector<double>& weights, bool vote, std::size_t n_threads) {
        const Asked asked = checked(x, background, forest.n_features(), forest.n_outputs(), pairs);
        if (weights.shape(0) != members.shape(0)) throw std::invalid_argument("members and weights differ in length");
        for (const std::int64_t i : view(members))
          if (i < 0 || i >= static_cast<std::int64_t>(forest.size())) throw nb::index_error("no such member");
        return run(asked, n_threads, [&](ShapleySums& sums, const Work& work) {
          for (std::size_t i = 0; i < members.shape(0); ++i) {
            const Member& member = forest.member(static_cast<std::size_t>(members.data()[i]));
            add_tree(member.tree.unpack(), {vote, weights.data()[i], member.groups}, asked, sums, work);
          }
        });
      },
      nb::arg("forest"), nb::arg("x").noconvert(), nb::arg("background").none(), nb::arg("pairs"), nb::arg("members"),
      nb::arg("weights"), nb::arg("vote"), nb::arg("n_threads") = 1);
  m.def(
      "speakers_of_tree",
      [](const BoundTree& bound, const Table& x) {
        const Matrix rows = checked(x, std::nullopt, bound.tree().n_features, 1, false).x;
        std::vector<std::uint8_t> marks(rows.n_rows * rows.n_columns, 0);
        run_hosted([&](Interrupt& interrupt) { mark_speakers(bound.tree(), rows, marks.data(), interrupt); });
        return as_mask(marks, rows.n_rows, rows.n_columns);
      },
      nb::arg("tree"), nb::arg("x").noconvert(), "The columns that spoke for each row on its own way.");
}

}  // namespace spinney::bindings
