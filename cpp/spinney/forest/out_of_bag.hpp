#pragma once
// What members answer for the rows that they did not see.

#include "spinney/forest/fit.hpp"

namespace spinney {

/// The rows that a member left out, and its answers: a class code (or group), or a number.
struct BagAnswers {
  std::vector<RowIndex> rows;
  std::vector<std::uint16_t> labels;
  std::vector<double> numbers;
};

/// The answers of a member for rows left out; with everyone, its record over all rows too.
BagAnswers judge(const SharedTable& table, const Tree& tree, const Draw& draw, bool everyone, Record& record,
                 Interrupt& interrupt);

/// Adds the out-of-bag answers up, member by member, and follows the error.
class BagSum {
 public:
  BagSum(const Target& target, OutOfBag before);
  void add(const BagAnswers& bag, const std::vector<std::int32_t>& groups);
  const std::vector<double>& curve() const { return bag_.curve; }
  bool covers_all() const { return bag_.n_to_cover > 0; }
  OutOfBag finish() && { return std::move(bag_); }

 private:
  double row_loss(std::size_t row) const;

  const Target& target_;
  OutOfBag bag_;
  std::vector<double> loss_;  // by row, times its weight
};

}  // namespace spinney
