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

/// The loss of one answer, times the weight of the row: a class (or group) is wrong or not, a number is off by a
/// square.
inline double answer_loss(const Target& target, std::span<const std::int32_t> groups, std::size_t row, double answer) {
  const double weight = target.weight[row];
  if (target.n_classes == 0) return weight * (answer - target.y[row]) * (answer - target.y[row]);
  const std::int32_t code = target.codes[row], truth = groups.empty() ? code : groups[code];
  return truth == static_cast<std::int32_t>(answer) ? 0.0 : weight;
}

/// The answers of a member for rows left out; with everyone, its record over all rows too.
BagAnswers judge(const SharedTable& table, const Learned& learned, const Draw& draw, bool everyone, Record& record,
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
