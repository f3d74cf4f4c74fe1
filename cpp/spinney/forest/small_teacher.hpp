#pragma once
// What a pool of trees teaches a small forest: its answers, once trees are shrunk, kinds are mixed and class
// probabilities are sharpened, all by rows that trees did not see.

#include "spinney/forest/small.hpp"

namespace spinney {

using Answers = std::vector<std::vector<double>>;  // by tree: n_nodes * n_outputs

inline constexpr std::size_t kMostNumbers = std::size_t{1} << 24;  // of a table of rows, by columns or by classes

/// Rows of a table of our own, one after the other.
struct OwnRows {
  std::size_t n = 0, n_columns = 0;
  std::vector<double> value;

  Matrix all() const { return {value.data(), static_cast<std::ptrdiff_t>(n_columns), 1, n, n_columns}; }
};

/// Training rows, evenly chosen, that judge a pool, and near which others are drawn.
struct KeptRows {
  std::vector<RowIndex> row;
  OwnRows table;
  std::vector<std::vector<NodeId>> leaf;            // by tree, then row
  std::vector<std::vector<std::uint8_t>> left_out;  // by tree, then row
};

KeptRows keep_rows(const TreePool& pool, ThreadTeam& team, Interrupt& interrupt);

struct Teacher {
  std::vector<std::vector<std::size_t>> of_kind;  // members
  Answers answers;                                // by member, shrunk, less the centre
  double centre = 0.0;                            // taken off numbers, which may be far from 0
  std::vector<double> strength;                   // of the shrinkage, by kind
  std::vector<double> share;                      // of each kind in the answers of the pool
  std::vector<double> kind_loss;                  // of each kind alone for rows that trees of all kinds did not see
  double power = 1.0;                             // by which class probabilities are sharpened
  double loss = kNaN;                             // for these rows: Brier score, or squared error

  /// The share of a member of a kind in the answers of the pool.
  double weight(std::size_t kind) const { return share[kind] / static_cast<double>(of_kind[kind].size()); }
};

/// strengths: of shrinkage, to choose from.
Teacher teach(const TreePool& pool, const KeptRows& kept, std::span<const double> strengths, ThreadTeam& team,
              Interrupt& interrupt);

/// Raises class shares to a power.
void sharpen(double* shares, std::size_t k, double power);

}  // namespace spinney
