#include "spinney/splits/scan.hpp"

#include "spinney/objective/registry.hpp"
#include "spinney/splits/moment_scan.hpp"
#include "spinney/splits/row_scan.hpp"
#include "spinney/splits/tight_scans.hpp"

namespace spinney {

namespace {

template <class O>
std::unique_ptr<Scan> scan_of(const O& objective, const Samples& samples) {
  if constexpr (std::is_same_v<O, Gini>) {
    return std::make_unique<GiniScan>(samples);
  } else if constexpr (std::is_same_v<O, SquaredError>) {
    return std::make_unique<SquaredErrorScan>(samples);
  } else if constexpr (O::kNeedsRows) {
    return std::make_unique<RowScan<O>>(objective, samples);
  } else {
    return std::make_unique<MomentScan<O>>(objective, samples);
  }
}

}  // namespace

std::unique_ptr<Scan> make_scan(const ObjectiveChoice& choice, const Samples& samples) {
  const auto make = [&](const auto& objective) { return scan_of(objective, samples); };
  return samples.n_classes > 0 ? with_class_objective(choice, {.n = samples.n_classes}, make)
                               : with_number_objective(choice, make);
}

}  // namespace spinney
