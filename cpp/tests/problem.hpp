#pragma once
// A small table with its target, owned, and a tree grown from it.

#include <vector>

#include "spinney/grow/grow.hpp"

namespace problem {

using namespace spinney;

struct Problem {
  std::vector<double> values;  // row by row
  std::vector<Column> columns;
  std::vector<std::int32_t> codes;
  std::vector<double> y, weight;
  std::int32_t n_classes = 0;
  std::vector<double> exposure;  // empty: all 1

  Dataset data() const {
    const auto p = static_cast<std::ptrdiff_t>(columns.size());
    return {{values.data(), p, 1, weight.size(), columns.size()}, columns};
  }
  Target target() const { return {n_classes, codes, y, weight, {}, {}, {}, exposure}; }
};

inline Problem classes(std::vector<double> values, std::vector<Column> columns, std::vector<std::int32_t> codes,
                       std::int32_t n_classes) {
  Problem p{std::move(values), std::move(columns), std::move(codes), {}, {}, n_classes, {}};
  p.weight.assign(p.codes.size(), 1.0);
  return p;
}

inline Tree grow_tree(const Problem& p, const GrowParams& params, std::size_t n_threads = 1,
                      const Tree* start = nullptr) {
  ThreadTeam team(n_threads);
  Interrupt interrupt;
  const Dataset data = p.data();
  const Target target = p.target();
  Samples samples = make_samples(target, {}, interrupt);
  std::shared_ptr<SortedColumns> sorted;
  if (params.max_bins == 0) sorted = std::make_shared<SortedColumns>(sort_columns(data, samples, team, interrupt));
  return grow({data, target, params, std::move(samples), std::move(sorted), nullptr, start, nullptr}, team, interrupt);
}

}  // namespace problem
