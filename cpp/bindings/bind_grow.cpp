// Growth, with its settings and targets, and the cross-validated pruning curve.

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_dataset.hpp"
#include "bound_target.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/grow/binned.hpp"
#include "spinney/objective/concordance.hpp"
#include "spinney/objective/registry.hpp"
#include "spinney/prune/cross_validate.hpp"
#include "spinney/splits/segments.hpp"

namespace spinney::bindings {

namespace {

/// A Python impurity, called with the interpreter's lock; what it returns is checked.
ImpurityFunction wrap_impurity(nb::callable function) {
  return [function = shared(std::move(function))](const double* shares, std::size_t n_groups, std::int32_t k,
                                                  double* impurity) {
    const nb::gil_scoped_acquire acquire;
    std::vector<double> copy(shares, shares + n_groups * static_cast<std::size_t>(k));
    const nb::object answer = (*function)(to_numpy(std::move(copy), {n_groups, static_cast<std::size_t>(k)}));
    nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> values;
    if (!nb::try_cast(answer, values) || values.shape(0) != n_groups) {
      throw std::invalid_argument("the criterion function must return one float64 number per row of shares, shape (" +
                                  std::to_string(n_groups) + ",)");
    }
    for (std::size_t i = 0; i < n_groups; ++i) {
      if (!std::isfinite(values.data()[i]))
        throw std::invalid_argument("the criterion function returned a number that is not finite");
      impurity[i] = values.data()[i];
    }
  };
}

struct FoldMasks {
  std::vector<Vector<bool>> grow, test;
  std::vector<Fold> folds() const {
    std::vector<Fold> out;
    const auto bytes = [](const Vector<bool>& mask) {
      return std::span(reinterpret_cast<const std::uint8_t*>(mask.data()), mask.shape(0));
    };
    for (std::size_t i = 0; i < grow.size(); ++i) out.push_back({bytes(grow[i]), bytes(test[i])});
    return out;
  }
};

nb::tuple grow_tree(const BoundDataset& table, const BoundTarget& bound, const GrowParams& params,
                    const Vector<double>& validation_weight, std::size_t n_threads, const BoundTree* start,
                    std::int64_t patience, const std::vector<Vector<bool>>& fold_grow,
                    const std::vector<Vector<bool>>& fold_test) {
  const Dataset data = table.dataset();
  const std::size_t n_rows = bound.target.n_rows();
  bool fits = data.values.n_rows == n_rows &&
              (validation_weight.shape(0) == 0 || validation_weight.shape(0) == n_rows) &&
              fold_grow.size() == fold_test.size();
  for (const auto& mask : fold_grow) fits = fits && mask.shape(0) == n_rows;
  for (const auto& mask : fold_test) fits = fits && mask.shape(0) == n_rows;
  if (!fits) throw std::invalid_argument("table, target, folds and validation weights differ in length");
  const FoldMasks masks{fold_grow, fold_test};
  Tree tree;
  ErrorCurve curve;
  run_hosted([&](Interrupt& interrupt) {
    const bool few_cells = n_rows * data.columns.size() < kParallelWork;
    ThreadTeam team(few_cells && masks.grow.empty() ? 1 : n_threads, &interrupt);
    Validation validation{{}, view(validation_weight), patience};
    for (std::size_t row = 0; row < validation.weight.size(); ++row) {
      if (validation.weight[row] > 0.0) validation.rows.push_back(static_cast<RowIndex>(row));
    }
    Samples samples = make_samples(bound.target, {}, interrupt);
    std::shared_ptr<SortedColumns> sorted;
    if (params.sorts()) sorted = std::make_shared<SortedColumns>(sort_columns(data, samples, team, interrupt));
    if (masks.grow.empty()) {
      tree = grow({data, bound.target, params, std::move(samples), std::move(sorted), nullptr,
                   start ? &start->tree() : nullptr, &validation},
                  team, interrupt);
      return;
    }
    std::shared_ptr<SortedColumns> copy;
    if (sorted) copy = std::make_shared<SortedColumns>(sorted->copy());
    const auto borders = common_borders(data, samples, params, team, interrupt);
    tree = grow({.data = data,
                 .target = bound.target,
                 .params = params,
                 .samples = samples,
                 .sorted = std::move(copy),
                 .start = start ? &start->tree() : nullptr,
                 .borders = borders.get()},
                team, interrupt);
    const auto folds = masks.folds();
    curve = cross_validate(data, bound.target, params, samples, sorted.get(), borders.get(), folds,
                           typical_alphas(cost_complexity(tree, LinkRule::rpart).alphas), team, interrupt);
  });
  nb::object errors = nb::none();
  if (!masks.grow.empty())
    errors = nb::make_tuple(to_numpy(std::move(curve.error)), to_numpy(std::move(curve.standard_error)));
  return nb::make_tuple(std::make_unique<BoundTree>(std::move(tree)), errors);
}

/// The error curve of trees that were grown elsewhere, one a fold, from the leaves that held-out rows reach.
nb::tuple judge_fold_trees(const BoundTarget& bound, const BoundTree& whole, const std::vector<const BoundTree*>& grown,
                           const std::vector<Vector<std::int32_t>>& leaves, const std::vector<Vector<bool>>& fold_grow,
                           const std::vector<Vector<bool>>& fold_test) {
  const FoldMasks masks{fold_grow, fold_test};
  const std::size_t n_rows = bound.target.n_rows();
  bool fits = grown.size() == leaves.size() && grown.size() == fold_grow.size() && grown.size() == fold_test.size();
  for (std::size_t i = 0; fits && i < grown.size(); ++i) {
    fits = leaves[i].shape(0) == n_rows && fold_grow[i].shape(0) == n_rows && fold_test[i].shape(0) == n_rows;
    for (std::size_t row = 0; fits && row < n_rows; ++row) {
      const std::int32_t leaf = leaves[i].data()[row];
      fits = !fold_test[i].data()[row] || (leaf >= 0 && static_cast<std::size_t>(leaf) < grown[i]->tree().n_nodes());
    }
  }
  if (!fits) throw std::invalid_argument("target, trees, leaves and folds do not fit together");
  ErrorCurve curve;
  run_hosted([&](Interrupt& interrupt) {
    std::vector<const Tree*> trees;
    std::vector<std::span<const NodeId>> leaf;
    for (std::size_t i = 0; i < grown.size(); ++i) {
      trees.push_back(&grown[i]->tree());
      leaf.push_back(view(leaves[i]));
    }
    const auto alphas = typical_alphas(cost_complexity(whole.tree(), LinkRule::rpart).alphas);
    curve = judge_folds(trees, leaf, bound.target, make_samples(bound.target, {}, interrupt), masks.folds(), alphas,
                        interrupt);
  });
  return nb::make_tuple(to_numpy(std::move(curve.error)), to_numpy(std::move(curve.standard_error)));
}

/// For each column the tree of its best test alone, or of none. CART of depth 1 leaves the sorted columns as they are.
nb::list grow_stumps(const BoundDataset& table, const BoundTarget& bound, const GrowParams& params,
                     const std::vector<FeatureIndex>& columns, std::size_t n_threads) {
  const Dataset data = table.dataset();
  if (data.values.n_rows != bound.target.n_rows()) throw std::invalid_argument("table and target differ in length");
  GrowParams own = params;
  own.max_depth = 1;
  own.max_surrogates = own.max_features = own.max_leaf_nodes = own.max_bins = 0;
  own.forced = nullptr;
  std::vector<Tree> trees;
  run_hosted([&](Interrupt& interrupt) {
    ThreadTeam team(n_threads, &interrupt);
    const Samples samples = make_samples(bound.target, {}, interrupt);
    const auto sorted = std::make_shared<SortedColumns>(sort_columns(data, samples, team, interrupt));
    for (const FeatureIndex column : columns) {
      own.features = {column};
      trees.push_back(grow({data, bound.target, own, samples, sorted}, team, interrupt));
    }
  });
  nb::list out;
  for (Tree& tree : trees) out.append(nb::cast(std::make_unique<BoundTree>(std::move(tree))));
  return out;
}

}  // namespace

void bind_grow(nb::module_& m) {
  nb::class_<MultiwayParams>(m, "MultiwayParams")
      .def(nb::init<>())
      .def_rw("gain_ratio", &MultiwayParams::gain_ratio)
      .def_rw("without_gain", &MultiwayParams::without_gain)
      .def_rw("nominal_only", &MultiwayParams::nominal_only)
      .def_rw("grouped", &MultiwayParams::grouped)
      .def_rw("max_intervals", &MultiwayParams::max_intervals)
      .def_rw("min_branch", &MultiwayParams::min_branch)
      .def_rw("every_branch_fraction", &MultiwayParams::every_branch_fraction)
      .def_rw("min_split", &MultiwayParams::min_split);

  nb::class_<GrowParams>(m, "GrowParams")
      .def(nb::init<>())
      .def("set_criterion",
           [](GrowParams& self, const std::string& name) {
             self.criterion.name = name;
             self.criterion.callable = {};
           })
      .def("set_criterion", [](GrowParams& self,
                               nb::callable function) { self.criterion.callable = wrap_impurity(std::move(function)); })
      .def("set_parameter", [](GrowParams& self, double parameter) { self.criterion.parameter = parameter; })
      .def(
          "set_deviance",
          [](GrowParams& self, double prior_cv, double centre, bool exposed) {
            self.criterion.prior_cv = prior_cv;
            self.criterion.centre = centre;
            self.criterion.exposed = exposed;
          },
          nb::arg("prior_cv"), nb::arg("centre"), nb::arg("exposed"))
      .def("set_cost", [](GrowParams& self, const Vector<double>& cost) { self.criterion.cost = copy(cost); })
      .def("set_missing", [](GrowParams& self, std::int32_t rule) { self.missing = static_cast<MissingRule>(rule); })
      .def_rw("max_depth", &GrowParams::max_depth)
      .def_rw("min_samples_split", &GrowParams::min_samples_split)
      .def_rw("min_samples_leaf", &GrowParams::min_samples_leaf)
      .def_rw("min_weight_fraction_leaf", &GrowParams::min_weight_fraction_leaf)
      .def_rw("max_leaf_nodes", &GrowParams::max_leaf_nodes)
      .def_rw("min_impurity_decrease", &GrowParams::min_impurity_decrease)
      .def_rw("max_features", &GrowParams::max_features)
      .def_rw("max_surrogates", &GrowParams::max_surrogates)
      .def("set_surrogate_style",
           [](GrowParams& self, std::int32_t style) { self.surrogate_style = static_cast<SurrogateStyle>(style); })
      .def_rw("max_bins", &GrowParams::max_bins)
      .def_rw("seed", &GrowParams::seed)
      .def_rw("oblique", &GrowParams::oblique)
      .def_rw("random_cuts", &GrowParams::random_cuts)
      .def("set_monotone", [](GrowParams& self, const Vector<std::int8_t>& signs) { self.monotone = copy(signs); })
      .def("add_interaction",
           [](GrowParams& self, const Vector<FeatureIndex>& group) { self.interactions.push_back(copy(group)); })
      .def(
          "set_forced",
          [](GrowParams& self, const BoundTree& tests, const Vector<bool>& closed, const Vector<std::int32_t>& gaps) {
            const Tree& tree = tests.tree();
            if (closed.shape(0) != tree.n_nodes() || gaps.shape(0) != tree.n_nodes())
              throw std::invalid_argument("closed and gaps need one entry per node");
            for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
              if (!tree.is_leaf(static_cast<NodeId>(node)) && tree.n_children[node] != 2)
                throw std::invalid_argument("forced tests have two branches");
            }
            self.forced = std::make_shared<const ForcedTests>(
                ForcedTests{tree, {closed.data(), closed.data() + closed.shape(0)}, copy(gaps)});
          },
          nb::arg("tests"), nb::arg("closed"), nb::arg("gaps"))
      .def("set_multiway", [](GrowParams& self, const MultiwayParams& multiway) { self.multiway = multiway; });

  nb::class_<BoundDataset>(m, "Dataset")
      .def(
          "__init__",
          [](BoundDataset* self, Table values, const Vector<std::uint8_t>& kinds,
             const Vector<std::int32_t>& n_categories) {
            if (kinds.shape(0) != values.shape(1) || n_categories.shape(0) != values.shape(1)) {
              throw std::invalid_argument("kinds and n_categories need one entry per column");
            }
            std::vector<Column> columns;
            for (std::size_t f = 0; f < kinds.shape(0); ++f) {
              columns.push_back(
                  {static_cast<ColumnKind>(std::min<std::uint8_t>(kinds.data()[f], 2)), n_categories.data()[f]});
            }
            new (self) BoundDataset{std::move(values), std::move(columns)};
          },
          nb::arg("values").noconvert(), nb::arg("kinds"), nb::arg("n_categories"));

  nb::class_<BoundTarget>(m, "Target")
      .def(
          "__init__",
          [](BoundTarget* self, std::int32_t n_classes, const Vector<double>& y, const Vector<double>& weight,
             const Vector<double>& class_scale, const Vector<double>& split_scale, const Vector<double>& cost,
             const Vector<double>& exposure) {
            if (y.shape(0) != weight.shape(0)) throw std::invalid_argument("y and weight differ in length");
            if (exposure.shape(0) != 0 && exposure.shape(0) != y.shape(0))
              throw std::invalid_argument("y and exposure differ in length");
            if (n_classes < 0 || n_classes > 65535) throw std::invalid_argument("between 0 and 65535 classes");
            auto* bound = new (self) BoundTarget;
            bound->weight = copy(weight);
            bound->exposure = copy(exposure);
            if (n_classes > 0) {
              for (std::size_t i = 0; i < y.shape(0); ++i) {
                const double code = y.data()[i];
                if (!(code >= 0 && code < n_classes)) throw std::invalid_argument("class code out of range");
                bound->codes.push_back(static_cast<std::int32_t>(code));
              }
            } else {
              bound->y = copy(y);
            }
            bound->target = {n_classes,         bound->codes,      bound->y,   bound->weight,
                             copy(class_scale), copy(split_scale), copy(cost), bound->exposure};
          },
          nb::arg("n_classes"), nb::arg("y"), nb::arg("weight"), nb::arg("class_scale"), nb::arg("split_scale"),
          nb::arg("cost"), nb::arg("exposure"));

  m.def(
      "criteria",
      [](bool of_classes) { return of_classes ? objective_names<Task::classes>() : objective_names<Task::numbers>(); },
      nb::arg("of_classes"), "The names of the criteria of classification, or of regression.");

  m.def(
      "needs_rows",
      [](const std::string& name) {
        return with_number_objective(judge_choice(name, 0), [](const auto& objective) { return objective.kNeedsRows; });
      },
      nb::arg("criterion"), "Whether a criterion of regression cannot work from sums alone.");

  m.def(
      "loss_degree",
      [](const std::string& name) {
        return with_number_objective(judge_choice(name, 0), [](const auto& objective) { return objective.kDegree; });
      },
      nb::arg("criterion"), "The power of c by which losses grow if a target of regression is multiplied by c.");

  m.def(
      "number_costs",
      [](const std::string& criterion, const Vector<double>& answers, const Vector<double>& y,
         const Vector<double>& exposure) {
        const std::size_t n = y.shape(0);
        if (answers.shape(0) != n || (exposure.shape(0) != 0 && exposure.shape(0) != n))
          throw std::invalid_argument("answers, y and exposure differ in length");
        const Judge judge(judge_name(judge_choice(criterion, 0), 0), {});
        std::vector<double> costs(n);
        for (std::size_t i = 0; i < n; ++i) {
          const double exposed = exposure.shape(0) == 0 ? 1.0 : exposure.data()[i];
          costs[i] = judge.cost(answers.data()[i], {0, y.data()[i], 1.0, exposed});
        }
        return to_numpy(std::move(costs));
      },
      nb::arg("criterion"), nb::arg("answers"), nb::arg("y"), nb::arg("exposure"),
      "What answers cost rows by a criterion of regression, such as squared_error or tweedie(1.5).");

  m.def(
      "concordance",
      [](const Vector<double>& time, const Vector<bool>& event, const Vector<double>& risk,
         const Vector<double>& weight) {
        const std::size_t n = time.shape(0);
        if (event.shape(0) != n || risk.shape(0) != n || weight.shape(0) != n)
          throw std::invalid_argument("time, event, risk and weight differ in length");
        const std::vector<std::uint8_t> events(event.data(), event.data() + n);
        Concordance found;
        run_hosted([&](Interrupt& interrupt) {
          found = concordance(view(time), events, view(risk), view(weight), interrupt);
        });
        return nb::make_tuple(found.concordant, found.discordant, found.tied);
      },
      nb::arg("time"), nb::arg("event"), nb::arg("risk"), nb::arg("weight"),
      "Weights of pairs of rows whose risks are in the order of their lifetimes, in the other, or equal.");

  m.def(
      "segment_borders",
      [](const Vector<double>& x, const Vector<std::int32_t>& codes, std::int32_t n_classes) {
        if (x.shape(0) != codes.shape(0)) throw std::invalid_argument("x and y differ in length");
        return to_numpy(segment_borders(view(x), view(codes), n_classes));
      },
      nb::arg("x"), nb::arg("codes"), nb::arg("n_classes"), "Cuts between runs of values with equal class shares.");

  m.def("grow", &grow_tree, nb::arg("dataset"), nb::arg("target"), nb::arg("params"), nb::arg("validation_weight"),
        nb::arg("n_threads") = 1, nb::arg("start").none() = nb::none(), nb::arg("patience") = 0,
        nb::arg("fold_grow") = std::vector<Vector<bool>>{}, nb::arg("fold_test") = std::vector<Vector<bool>>{},
        "Grow a tree; with folds, also the cross-validated error of its pruning sequence.");

  m.def("judge_folds", &judge_fold_trees, nb::arg("target"), nb::arg("tree"), nb::arg("fold_trees"), nb::arg("leaves"),
        nb::arg("fold_grow"), nb::arg("fold_test"), "The cross-validated error of a tree's pruning sequence.");

  m.def("grow_stumps", &grow_stumps, nb::arg("dataset"), nb::arg("target"), nb::arg("params"), nb::arg("columns"),
        nb::arg("n_threads") = 1, "For each of some columns the tree of its best test alone.");
}

}  // namespace spinney::bindings
