#pragma once
// How strongly the trees of a model should be shrunk: many strengths are tried at once on rows that trees did not see.

#include "spinney/forest/fit.hpp"

namespace spinney {

/// A member and the way in which its rows were drawn.
struct DrawnMember {
  std::size_t member;
  const Sampling* sampling;
};

/// Adds up what shrunken trees answer for rows that they did not see, for every strength. Classes are judged by the
/// Brier score of their probabilities (mean shares, or shares of the votes), numbers by the cost of an objective.
class ShrinkageTrial {
 public:
  /// The target stays with the caller. objective: a judge_name, for numbers. So much is kept that memory is bounded:
  /// of very many rows evenly chosen ones judge.
  ShrinkageTrial(const Target& target, std::vector<double> strengths, const std::string& objective, Combine combine);

  void add_tree(const Tree& tree, const Matrix& x, std::span<const RowIndex> rows, Interrupt& interrupt);
  /// Every member with the rows that it left out.
  void add_members(const Forest& forest, std::span<const DrawnMember> members, const Matrix& x, ThreadTeam& team,
                   Interrupt& interrupt);
  /// The mean cost of a row for each strength; NaN if there was no row.
  std::vector<double> losses() const;

 private:
  struct Reached;
  Reached reach(Tree tree, std::vector<std::int32_t> groups, const Matrix& x, std::span<const RowIndex> rows,
                Interrupt& interrupt) const;
  void add(std::span<const Reached> batch, ThreadTeam& team, Interrupt& interrupt);
  void add_answers(std::size_t strength, const Reached& reached);
  double row_loss(std::size_t strength, std::size_t slot) const;

  const Target& target_;
  std::vector<double> strengths_;
  Judge judge_;
  Combine combine_;
  std::vector<RowIndex> row_;             // by slot: the rows that judge
  std::vector<std::uint32_t> slot_;       // by row
  std::vector<std::vector<double>> sum_;  // by strength: n_outputs a slot
  std::vector<std::int64_t> n_votes_;     // by slot
};

}  // namespace spinney
