#pragma once
// A table with its kinds of column; borrows the values.

#include <vector>

#include "arrays.hpp"
#include "spinney/data/matrix.hpp"

namespace spinney::bindings {

struct BoundDataset {
  Table values;
  std::vector<Column> columns;
  Dataset dataset() const { return {view(values), columns}; }
};

}  // namespace spinney::bindings
