#pragma once
// Shapley values of trees: what each column adds to the answer for a row.
//
// By *cover*, a coalition of players goes down a tree as follows: at a node whose speaker (players.hpp) is in the
// coalition, the row's way; at others every way, by the share of training weight. By *background*, the answer of a
// coalition is the mean answer for the rows of a background that take the row's values for the players in it.

#include <atomic>

#include "spinney/shapley/path_tree.hpp"
#include "spinney/tree/predict.hpp"

namespace spinney {

/// Where results are added up. Rows are those of x; k is the number of outputs.
struct ShapleySums {
  std::vector<double> values;        // n_rows * n_columns * k
  std::vector<double> interactions;  // n_rows * n_columns * n_columns * k, or empty; pairs of different columns only
  std::vector<double> expected;      // k
  /// The first row of x that was divided under the fractional rule, or n_rows if none was: its answer is a sum over
  /// leaves, which that of a vote is not.
  std::atomic<std::size_t> first_divided;

  ShapleySums(const Matrix& x, std::size_t n_outputs, bool pairs);
};

/// Adds what one tree says.
void add_by_cover(const PathTree& tree, const Matrix& x, ShapleySums& sums, const Work& work);
void add_by_background(const PathTree& tree, const Matrix& x, const Matrix& background, ShapleySums& sums,
                       const Work& work);

/// Fills the diagonals of the interactions: what a column adds by itself.
void set_diagonals(std::size_t n_columns, std::size_t n_outputs, ShapleySums& sums);

/// Marks the columns that spoke for a row on its own way: n_rows * n_columns.
void mark_speakers(const Tree& tree, const Matrix& x, std::uint8_t* out, Interrupt& interrupt);

/// Adds some credit of a player to its columns, in a row with k outputs a column; credit(c) is that of an output.
template <class Credit>
void add_credit(const Players& players, std::int32_t player, const Credit& credit, std::size_t k, double* row) {
  players.for_columns(player, [&](FeatureIndex column, double share) {
    double* const own = row + static_cast<std::size_t>(column) * k;
    for (std::size_t c = 0; c < k; ++c) own[c] += share * credit(c);
  });
}
/// The same for a pair of players, which has the same credit in either order; a row has n_columns * n_columns pairs.
template <class Credit>
void add_pair(const Players& players, std::int32_t one, std::int32_t other, const Credit& credit, std::size_t k,
              std::size_t n_columns, double* row) {
  players.for_columns(one, [&](FeatureIndex i, double share) {
    players.for_columns(other, [&](FeatureIndex j, double part) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      for (std::size_t c = 0; c < k; ++c) {
        row[(a * n_columns + b) * k + c] += share * part * credit(c);
        row[(b * n_columns + a) * k + c] += share * part * credit(c);
      }
    });
  });
}

/// Remembers the first row that was divided.
void note_divided(std::size_t row, ShapleySums& sums);

}  // namespace spinney
