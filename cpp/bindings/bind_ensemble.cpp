// How ensembles are trained: learners, plans, and one call for all members.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <map>

#include "bindings.hpp"
#include "bound_dataset.hpp"
#include "bound_evolution.hpp"
#include "bound_target.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/data/subset.hpp"
#include "spinney/forest/boost.hpp"
#include "spinney/forest/out_of_bag.hpp"

namespace spinney::bindings {

namespace {

const std::map<std::string, SamplingKind> kSamplings = {
    {"all", SamplingKind::all},
    {"bootstrap", SamplingKind::bootstrap},
    {"subsample", SamplingKind::subsample},
    {"partition", SamplingKind::partition},
    {"overlap", SamplingKind::overlap},
    {"wagging", SamplingKind::wagging},
};
const std::map<std::string, TargetChange> kTargets = {
    {"none", TargetChange::none}, {"regroup", TargetChange::regroup}, {"flip", TargetChange::flip}};
const std::map<std::string, MemberPruning> kPrunings = {
    {"none", MemberPruning::none},
    {"cross_validated", MemberPruning::cross_validated},
    {"reduced_error", MemberPruning::reduced_error},
    {"error_based", MemberPruning::error_based},
    {"mdl", MemberPruning::mdl},
};
const std::map<std::string, BoostRule> kRules = {
    {"SAMME", BoostRule::samme}, {"M1", BoostRule::m1}, {"arc-x4", BoostRule::arc_x4}, {"R2", BoostRule::r2}};
const std::map<std::string, BoostLoss> kLosses = {{"exponential", BoostLoss::exponential},
                                                  {"logistic", BoostLoss::logistic},
                                                  {"linear", BoostLoss::linear},
                                                  {"square", BoostLoss::square}};

/// What members learn from and by, as Python gives it: lists of equal length.
struct BoundCourses {
  std::vector<const BoundDataset*> tables;
  std::vector<const BoundTarget*> targets;
  std::vector<const Learner*> learners;

  std::vector<LearnerInput> inputs() const {
    if (tables.empty() || tables.size() != targets.size() || tables.size() != learners.size())
      throw std::invalid_argument("tables, targets and learners differ in number");
    std::vector<LearnerInput> out;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i]->values.shape(0) != targets[0]->target.n_rows() ||
          targets[i]->target.n_rows() != targets[0]->target.n_rows())
        throw std::invalid_argument("tables and targets differ in length");
      out.push_back({tables[i]->dataset(), targets[i]->target, *learners[i]});
    }
    return out;
  }
};

std::function<bool(std::int64_t)> reporter(const nb::object& finished) {
  if (finished.is_none()) return {};
  return [&finished](std::int64_t n) {
    const nb::gil_scoped_acquire acquire;
    return nb::cast<bool>(finished(n));
  };
}

nb::tuple fit(const BoundCourses& bound, const EnsemblePlan& plan, std::size_t n_threads, const Vector<double>& sums,
              const Vector<std::int64_t>& n_votes, const Vector<double>& curve, std::int64_t n_to_cover,
              const nb::object& finished) {
  const std::vector<LearnerInput> learners = bound.inputs();
  const std::size_t n = learners[0].target.n_rows(), k = learners[0].target.n_outputs();
  OutOfBag before{copy(sums), copy(n_votes), copy(curve), n_to_cover};
  if (n_to_cover < 0 || n_to_cover > static_cast<std::int64_t>(before.curve.size()))
    throw std::invalid_argument("n_to_cover is not within the curve");
  if ((!before.sums.empty() && before.sums.size() != n * k) || (!before.n_votes.empty() && before.n_votes.size() != n))
    throw std::invalid_argument("out-of-bag sums and target differ in length");
  Ensemble ensemble;
  const auto report = reporter(finished);
  run_hosted([&](Interrupt& interrupt) {
    ThreadTeam team(n_threads, &interrupt);
    ensemble = fit_ensemble({learners, plan, std::move(before), report}, team, interrupt);
  });
  auto forest = std::make_unique<Forest>(std::move(ensemble.members));
  OutOfBag& bag = ensemble.out_of_bag;
  std::vector<double> records;
  for (const Record& record : ensemble.records)
    records.insert(records.end(), {record.training_error, record.bag_error, record.bag_weight,
                                   static_cast<double>(record.n_iterations), record.settled ? 1.0 : 0.0});
  const std::size_t n_records = ensemble.records.size();
  return nb::make_tuple(std::move(forest), to_numpy(std::move(bag.sums), {n, k}), to_numpy(std::move(bag.n_votes)),
                        to_numpy(std::move(bag.curve)), bag.n_to_cover,
                        to_numpy(std::move(records), {n_records, std::size_t{5}}));
}

/// error, weight, loss, keep, stop.
std::vector<double> numbers(const BoostRound& round) {
  return {round.error, round.weight, round.loss, round.keep ? 1.0 : 0.0, round.stop ? 1.0 : 0.0};
}

nb::tuple run_boost(const BoundCourses& bound, const BoostPlan& plan, std::size_t n_threads, const Forest* before,
                    const nb::object& finished) {
  const std::vector<LearnerInput> learners = bound.inputs();
  std::vector<Tree> trees;
  for (std::size_t i = 0; before && i < before->size(); ++i) trees.push_back(before->member(i).tree.unpack());
  Boosted boosted;
  const auto report = reporter(finished);
  run_hosted([&](Interrupt& interrupt) {
    ThreadTeam team(n_threads, &interrupt);
    boosted = boost({learners, plan, trees, report}, team, interrupt);
  });
  std::vector<double> rounds;
  for (const BoostRound& round : boosted.rounds) {
    const std::vector<double> row = numbers(round);
    rounds.insert(rounds.end(), row.begin(), row.end());
  }
  const std::size_t n_rounds = boosted.rounds.size();
  return nb::make_tuple(std::make_unique<Forest>(std::move(boosted.members)),
                        to_numpy(std::move(rounds), {n_rounds, std::size_t{5}}), to_numpy(std::move(boosted.weights)));
}

/// One tree, as a member of an ensemble that sees all rows would be.
nb::tuple run_igpa(const BoundDataset& table, const BoundTarget& bound, const Learner& learner, std::uint64_t seed,
                   std::size_t n_threads) {
  if (!learner.igpa) throw std::invalid_argument("the learner has no settings of growing and pruning in turn");
  const Dataset data = table.dataset();
  Learned learned;
  run_hosted([&](Interrupt& interrupt) {
    ThreadTeam team(n_threads, &interrupt);
    const LearnerInput own{data, bound.target, learner};
    const SharedTable shared = std::move(share_tables({&own, 1}, team, interrupt)[0]);
    const MemberSample everything{std::vector<double>(shared.samples.size(), 1.0), {}, {}, {}, seed};
    learned = learn(shared, learner, everything, {true, false}, interrupt, &team);
  });
  std::vector<double> history;
  for (const Iteration& i : learned.history) {
    history.insert(history.end(),
                   {static_cast<double>(i.judge), static_cast<double>(i.n_leaves_grown),
                    static_cast<double>(i.n_leaves), i.growing_error, i.judge_error_grown, i.judge_error});
  }
  const std::size_t n = learned.history.size();
  return nb::make_tuple(std::make_unique<BoundTree>(std::move(learned.tree)),
                        to_numpy(std::move(history), {n, std::size_t{6}}), learned.settled);
}

void bind_learner(nb::module_& m) {
  nb::class_<Learner>(m, "Learner", "The settings of one tree: how it is grown and cut back.")
      .def(nb::init<>())
      .def("set_params", [](Learner& self, const GrowParams& params) { self.params = params; })
      .def("set_pruning", [](Learner& self, const std::string& name) { self.pruning = kPrunings.at(name); })
      .def_prop_rw(
          "n_best_splits", [](const Learner& self) { return self.params.n_best_splits; },
          [](Learner& self, std::int64_t n) { self.params.n_best_splits = n; })
      .def_prop_rw(
          "max_features", [](const Learner& self) { return self.params.max_features; },
          [](Learner& self, std::int64_t n) { self.params.max_features = n; })
      .def_rw("ccp_alpha", &Learner::ccp_alpha, nb::arg().none())
      .def_rw("n_folds", &Learner::n_folds)
      .def_rw("one_standard_error", &Learner::one_standard_error)
      .def_rw("validation_fraction", &Learner::validation_fraction)
      .def_rw("patience", &Learner::patience)
      .def_rw("cf", &Learner::cf)
      .def_rw("raise_subtrees", &Learner::raise_subtrees)
      .def_rw("collapse", &Learner::collapse)
      .def_rw("balanced", &Learner::balanced)
      .def_rw("shrinkage", &Learner::shrinkage)
      .def("set_igpa", [](Learner& self, const IgpaParams& igpa) { self.igpa = igpa; })
      .def("set_evolve", [](Learner& self, const BoundLanguage& language, const EvolvePlan& plan) {
        self.evolve = EvolveSettings{language.language, plan};
      });
}

void bind_igpa(nb::module_& m) {
  nb::class_<IgpaParams>(m, "IgpaParams")
      .def(nb::init<>())
      .def_rw("n_parts", &IgpaParams::n_parts)
      .def_rw("max_iterations", &IgpaParams::max_iterations)
      .def_rw("renews_labels", &IgpaParams::renews_labels)
      .def_rw("prunes_all", &IgpaParams::prunes_all)
      .def_rw("keeps_unjudged", &IgpaParams::keeps_unjudged)
      .def_rw("recounts", &IgpaParams::recounts);

  m.def(
      "deal_parts",
      [](const BoundTarget& target, std::size_t n_parts, std::uint64_t seed) {
        if (n_parts == 0) throw std::invalid_argument("at least one part is needed");
        return to_numpy(deal_parts(target.target, n_parts, seed));
      },
      nb::arg("target"), nb::arg("n_parts"), nb::arg("seed"), "The part of each row; -1 for rows of weight 0.");

  m.def("grow_and_prune", &run_igpa, nb::arg("dataset"), nb::arg("target"), nb::arg("learner"), nb::arg("seed"),
        nb::arg("n_threads") = 1, "(tree, one row an iteration, whether the tree has settled).");
}

/// Answers for rows that members did not see, of members that were trained elsewhere.
struct BoundBag {
  Samples samples;
  Judge judge;
  std::unique_ptr<BagSum> sum;
  std::size_t n_rows, n_outputs;

  BoundBag(const BoundTarget& bound, const GrowParams& params)
      : judge(bag_judge(judge_name(params.criterion, bound.target.n_classes), bound.target)),
        n_rows(bound.target.n_rows()),
        n_outputs(bound.target.n_outputs()) {
    Interrupt interrupt;
    samples = make_samples(bound.target, {}, interrupt);
    sum = std::make_unique<BagSum>(bound.target, judge, OutOfBag{});
  }
  void add(const Vector<double>& answers) {
    if (answers.shape(0) != n_rows) throw std::invalid_argument("one answer a row is needed");
    BagAnswers out;
    for (const RowIndex row : samples.row) {
      const double answer = answers.data()[row];
      if (std::isnan(answer)) continue;
      out.rows.push_back(row);
      if (samples.n_classes > 0) {
        out.labels.push_back(static_cast<std::uint16_t>(answer));
      } else {
        out.numbers.push_back(answer);
      }
    }
    sum->add(out, {});
  }
  nb::tuple finish() {
    OutOfBag bag = std::move(*sum).finish();
    return nb::make_tuple(to_numpy(std::move(bag.sums), {n_rows, n_outputs}), to_numpy(std::move(bag.n_votes)),
                          to_numpy(std::move(bag.curve)), bag.n_to_cover);
  }
};

void bind_bag(nb::module_& m) {
  nb::class_<BoundBag>(m, "Bag", "Adds up what members answer for rows that they did not see.")
      .def(nb::init<const BoundTarget&, const GrowParams&>(), nb::arg("target"), nb::arg("params"),
           nb::keep_alive<1, 2>())
      .def("add", &BoundBag::add, nb::arg("answers"), "By row: a class code or a number; NaN if the member saw it.")
      .def("finish", &BoundBag::finish, "(sums, votes by row, error by number of members, members to cover all).");
}

void bind_plan(nb::module_& m) {
  nb::class_<EnsemblePlan>(m, "EnsemblePlan")
      .def(nb::init<>())
      .def_rw("n_members", &EnsemblePlan::n_members)
      .def_rw("first_member", &EnsemblePlan::first_member)
      .def("set_sampling",
           [](EnsemblePlan& self, const std::string& kind, std::int64_t size, std::int64_t n_parts) {
             self.sampling.kind = kSamplings.at(kind);
             self.sampling.size = size;
             self.sampling.n_parts = std::max<std::int64_t>(n_parts, 1);
           })
      .def("set_targets",
           [](EnsemblePlan& self, const std::string& kind, double flip_rate) {
             self.sampling.targets = kTargets.at(kind);
             self.sampling.flip_rate = flip_rate;
           })
      .def_prop_rw(
          "n_features", [](const EnsemblePlan& self) { return self.sampling.n_features; },
          [](EnsemblePlan& self, std::int64_t n) { self.sampling.n_features = n; })
      .def_prop_rw(
          "seed", [](const EnsemblePlan& self) { return self.sampling.seed; },
          [](EnsemblePlan& self, std::uint64_t seed) { self.sampling.seed = seed; })
      .def("__getstate__",
           [](const EnsemblePlan& self) {
             const Sampling& s = self.sampling;
             return std::make_tuple(static_cast<int>(s.kind), s.size, s.n_parts, s.n_features,
                                    static_cast<int>(s.targets), s.flip_rate, s.seed);
           })
      .def("__setstate__",
           [](EnsemblePlan& self,
              const std::tuple<int, std::int64_t, std::int64_t, std::int64_t, int, double, std::uint64_t>& state) {
             const auto& [kind, size, n_parts, n_features, targets, flip_rate, seed] = state;
             if (kind < 0 || kind > static_cast<int>(SamplingKind::wagging) || n_parts < 1 ||
                 n_features < std::numeric_limits<std::int32_t>::min() || targets < 0 ||
                 targets > static_cast<int>(TargetChange::flip))
               throw std::invalid_argument("not the state of a plan");
             new (&self) EnsemblePlan();
             self.sampling = {static_cast<SamplingKind>(kind),    size,      n_parts, n_features,
                              static_cast<TargetChange>(targets), flip_rate, seed};
           })
      .def_rw("out_of_bag", &EnsemblePlan::out_of_bag)
      .def_rw("records", &EnsemblePlan::records)
      .def_rw("patience", &EnsemblePlan::patience)
      .def_rw("tolerance", &EnsemblePlan::tolerance)
      .def(
          "counts",
          [](const EnsemblePlan& self, std::size_t n_rows, std::uint64_t member) {
            return to_numpy(self.sampling.counts(n_rows, member));
          },
          "What each of n rows counts for in a member.")
      .def("features", [](const EnsemblePlan& self, std::size_t n_columns,
                          std::uint64_t member) { return to_numpy(self.sampling.features(n_columns, member)); })
      .def("groups", [](const EnsemblePlan& self, std::int32_t n_classes,
                        std::uint64_t member) { return self.sampling.groups(n_classes, member); })
      .def("flipped",
           [](const EnsemblePlan& self, const Vector<std::int32_t>& codes, std::int32_t n_classes,
              std::uint64_t member) { return to_numpy(self.sampling.flipped(view(codes), n_classes, member)); })
      .def("growth_seed",
           [](const EnsemblePlan& self, std::uint64_t member) { return self.sampling.growth_seed(member); });

  nb::class_<BoostPlan>(m, "BoostPlan")
      .def(nb::init<>())
      .def_rw("n_members", &BoostPlan::n_members)
      .def("set_rules",
           [](BoostPlan& self, const std::string& rule, const std::string& loss, double learning_rate,
              std::int32_t n_classes) { self.rules = {kRules.at(rule), kLosses.at(loss), learning_rate, n_classes}; })
      .def_rw("resample", &BoostPlan::resample)
      .def_rw("seed", &BoostPlan::seed)
      .def(
          "draw",
          [](const BoostPlan& self, const Vector<double>& weights, std::uint64_t member) {
            return to_numpy(self.draw(view(weights), member));
          },
          "How often each row is drawn for a member, by weights.");

  nb::class_<Booster>(m, "Booster", "The weights of rows, and what the errors of members do to them.")
      .def("__init__", [](Booster* self, const BoostPlan& plan,
                          const Vector<double>& start) { new (self) Booster(plan.rules, view(start)); })
      .def_prop_ro(
          "weights",
          [](const Booster& self) {
            return to_numpy(std::vector<double>(self.weights().begin(), self.weights().end()));
          },
          nb::rv_policy::move)
      .def("add", [](Booster& self, const Vector<double>& off) {
        if (off.shape(0) != self.weights().size()) throw std::invalid_argument("one error a row is needed");
        return to_numpy(numbers(self.add(view(off))));
      });
}

}  // namespace

void bind_ensemble(nb::module_& m) {
  bind_learner(m);
  bind_igpa(m);
  bind_plan(m);
  bind_bag(m);
  m.def(
      "fit_ensemble",
      [](std::vector<const BoundDataset*> tables, std::vector<const BoundTarget*> targets,
         std::vector<const Learner*> learners, const EnsemblePlan& plan, std::size_t n_threads,
         const Vector<double>& sums, const Vector<std::int64_t>& n_votes, const Vector<double>& curve,
         std::int64_t n_to_cover, const nb::object& finished) {
        return fit({std::move(tables), std::move(targets), std::move(learners)}, plan, n_threads, sums, n_votes, curve,
                   n_to_cover, finished);
      },
      nb::arg("tables"), nb::arg("targets"), nb::arg("learners"), nb::arg("plan"), nb::arg("n_threads"),
      nb::arg("sums"), nb::arg("n_votes"), nb::arg("curve"), nb::arg("n_to_cover"), nb::arg("finished").none(),
      "(forest, out-of-bag sums, votes by row, error by number of members, members until every row had an answer, "
      "records of the members).");
  m.def(
      "boost",
      [](std::vector<const BoundDataset*> tables, std::vector<const BoundTarget*> targets,
         std::vector<const Learner*> learners, const BoostPlan& plan, std::size_t n_threads, const Forest* before,
         const nb::object& finished) {
        return run_boost({std::move(tables), std::move(targets), std::move(learners)}, plan, n_threads, before,
                         finished);
      },
      nb::arg("tables"), nb::arg("targets"), nb::arg("learners"), nb::arg("plan"), nb::arg("n_threads"),
      nb::arg("before").none(), nb::arg("finished").none(), "(forest, one row a round, weights of the rows).");
}

}  // namespace spinney::bindings
