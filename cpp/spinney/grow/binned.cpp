#include "spinney/grow/binned.hpp"

#include <stdexcept>
#include <string>

#include "spinney/grow/planner.hpp"
#include "spinney/grow/worker.hpp"

namespace spinney {

Tree grow_binned(const GrowInput& input, ThreadTeam& team, Interrupt& interrupt) {
  const GrowParams& params = input.params;
  if (params.missing == MissingRule::fractional)
    throw std::invalid_argument("max_bins does not work with the fractional rule for missing values");
  Worker worker(input.data, input.samples, {}, team, interrupt);
  BinBorders own;
  if (!input.borders)
    own = find_borders({input.data, worker.rows(), params.features}, static_cast<std::size_t>(params.max_bins), team,
                       interrupt);
  const BinBorders& borders = input.borders ? *input.borders : own;
  if (const std::string wrong = borders.check(input.data.columns); !wrong.empty()) throw std::invalid_argument(wrong);
  const MomentLayout moments(worker.bounds(), input.target.n_classes);
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
