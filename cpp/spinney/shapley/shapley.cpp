#include "spinney/shapley/shapley.hpp"

#include <algorithm>

#include "spinney/tree/route.hpp"

namespace spinney {

ShapleySums::ShapleySums(const Matrix& x, std::size_t n_outputs, bool pairs)
    : values(x.n_rows * x.n_columns * n_outputs),
      interactions(pairs ? values.size() * x.n_columns : 0),
      expected(n_outputs),
      first_divided(x.n_rows) {}

void note_divided(std::size_t row, ShapleySums& sums) {
  std::size_t first = sums.first_divided.load();
  while (row < first && !sums.first_divided.compare_exchange_weak(first, row)) continue;
}

void set_diagonals(std::size_t n_columns, std::size_t n_outputs, ShapleySums& sums) {
  const std::size_t k = n_outputs;
  const double* own = sums.values.data();
  double* pairs = sums.interactions.data();
  for (double* const end = pairs + sums.interactions.size(); pairs < end; own += n_columns * k) {
    for (std::size_t i = 0; i < n_columns; ++i, pairs += n_columns * k) {
      double* const diagonal = pairs + i * k;
      std::copy_n(own + i * k, k, diagonal);
      for (std::size_t j = 0; j < n_columns; ++j) {
        if (j == i) continue;
        for (std::size_t c = 0; c < k; ++c) diagonal[c] -= pairs[j * k + c];
      }
    }
  }
}

void mark_speakers(const Tree& tree, const Matrix& x, std::uint8_t* out, Interrupt& interrupt) {
  const Players players(tree);
  std::vector<Share> stack;
  for (std::size_t row = 0; row < x.n_rows; ++row, out += x.n_columns) {
    interrupt.check();
    visit_path(tree, x, row, stack, [&](NodeId node, double) {
      if (tree.is_leaf(node)) return;
      const std::int32_t player = players.said(tree, node, x, row).player;
      if (player != kNoPlayer) players.for_columns(player, [&](FeatureIndex column, double) { out[column] = 1; });
    });
  }
}

}  // namespace spinney
