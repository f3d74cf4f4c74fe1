#include "spinney/grow/binned.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "spinney/grow/planner.hpp"
#include "spinney/grow/worker.hpp"

namespace spinney {

namespace {

/// A table of few rows is searched exactly from the root, with its samples in the order that they came in.
Tree grow_exactly(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  GrowParams params = input.params;
  params.max_bins = 0;
  std::shared_ptr<SortedColumns> sorted;
  if (params.sorts())
    sorted = std::make_shared<SortedColumns>(sort_columns(input.data, input.samples, team, interrupt));
  return grow({.data = input.data,
               .target = input.target,
               .params = params,
               .samples = std::move(input.samples),
               .sorted = std::move(sorted),
               .validation = input.validation},
              team, interrupt);
}

}  // namespace

std::shared_ptr<const BinBorders> common_borders(const Dataset& data, const Samples& samples, const GrowParams& params,
                                                 ThreadTeam& team, Interrupt& interrupt) {
  if (params.max_bins == 0 || samples.size() <= static_cast<std::size_t>(kSmallNode)) return nullptr;
  std::vector<RowIndex> rows = samples.row;
  std::sort(rows.begin(), rows.end());
  return std::make_shared<const BinBorders>(
      find_borders({data, rows, {}}, static_cast<std::size_t>(params.max_bins), team, interrupt));
}

Tree grow_binned(GrowInput input, ThreadTeam& team, Interrupt& interrupt) {
  const GrowParams& params = input.params;
  if (params.missing == MissingRule::fractional)
    throw std::invalid_argument("max_bins does not work with the fractional rule for missing values");
  NumberMoments objective;
  if (input.target.n_classes == 0) objective = NumberMoments(params.criterion);
  if (!input.start && input.samples.size() <= static_cast<std::size_t>(kSmallNode))
    return grow_exactly(std::move(input), team, interrupt);
  Worker worker(input.data, input.samples, {}, objective, team, interrupt);
  BinBorders own;
  if (!input.borders)
    own = find_borders({input.data, worker.rows(), params.features}, static_cast<std::size_t>(params.max_bins), team,
                       interrupt);
  const BinBorders& borders = input.borders ? *input.borders : own;
  if (const std::string wrong = borders.check(input.data.columns); !wrong.empty()) throw std::invalid_argument(wrong);
  const MomentLayout moments(worker.bounds(), input.target.n_classes, objective, input.samples.y_shift);
  input.samples = {};  // the worker has its own
  worker.prepare(borders, moments, params.features);
  Planner planner({.columns = input.data.columns,
                   .target = input.target,
                   .params = params,
                   .borders = borders,
                   .moments = moments,
                   .start = input.start,
                   .validation = input.validation,
                   .set_aside = input.data.values},
                  worker.start(input.start), team, interrupt);
  while (!planner.request().empty()) planner.receive(worker.answer(planner.request()));
  return std::move(planner).finish();
}

}  // namespace spinney
