#pragma once
// An evolution that owns what it looks at, but for the table and the target, which Python keeps alive.

#include <memory>

#include "bound_dataset.hpp"
#include "bound_target.hpp"
#include "spinney/evolve/evolution.hpp"

namespace spinney::bindings {

struct BoundLanguage {
  std::shared_ptr<const Language> language;
};

struct BoundEvolution {
  Dataset data;
  Samples samples;
  ObjectiveChoice criterion;
  EvolveSettings settings;
  std::unique_ptr<Evolution> evolution;

  BoundEvolution(const BoundDataset& table, const BoundTarget& target, const GrowParams& params,
                 const BoundLanguage& language, const EvolvePlan& plan, std::uint64_t seed)
      : data(table.dataset()), criterion(params.criterion), settings{language.language, plan} {
    if (data.values.n_rows != target.target.n_rows()) throw std::invalid_argument("table and target differ in length");
    Interrupt never;
    samples = make_samples(target.target, {}, never);
    evolution = std::make_unique<Evolution>(EvolveInput{data, target.target, criterion, samples, settings, seed});
  }
  std::int32_t n_columns() const { return static_cast<std::int32_t>(data.columns.size()); }
};

}  // namespace spinney::bindings
