#pragma once
// A table as the core sees it: doubles behind two strides, borrowed from the caller. Category codes are whole
// numbers 0 .. n_categories - 1; NaN is missing.

#include <numeric>
#include <span>
#include <vector>

#include "spinney/types.hpp"

namespace spinney {

struct Matrix {
  const double* data = nullptr;
  std::ptrdiff_t row_stride = 0, column_stride = 0;  // in elements
  std::size_t n_rows = 0, n_columns = 0;

  double at(std::size_t row, std::size_t column) const { return *address(row, column); }
  const double* address(std::size_t row, std::size_t column) const {
    return data + (static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride);
  }
};

struct Column {
  ColumnKind kind = ColumnKind::numeric;
  std::int32_t n_categories = 0;  // nominal columns only
};

/// Some columns, or all of them if none are named.
inline std::vector<FeatureIndex> asked_columns(std::span<const FeatureIndex> named, std::size_t n_columns) {
  std::vector<FeatureIndex> columns(named.begin(), named.end());
  if (columns.empty()) {
    columns.resize(n_columns);
    std::iota(columns.begin(), columns.end(), FeatureIndex{0});
  }
  return columns;
}

struct Dataset {
  Matrix values;
  std::span<const Column> columns;
};

}  // namespace spinney
