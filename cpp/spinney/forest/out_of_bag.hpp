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

/// What judges answers out of bag: a class (or group) is wrong or not, a number is off as the objective says.
inline Judge bag_judge(const std::string& objective, const Target& target) {
  return Judge(objective, {.n = target.n_classes});
}

/// The loss of one answer, times the weight of the row.
inline double answer_loss(const Judge& judge, const Target& target, std::span<const std::int32_t> groups, std::size_t i,
                          double answer) {
  Row row = Judge::target_row(target, i);
  if (!groups.empty()) row.code = groups[row.code];
  return row.weight * judge.cost(answer, row);
}

/// The answers of a member for rows left out; with everyone, its record over all rows too.
BagAnswers answer_bag(const SharedTable& table, const Learned& learned, const MemberSample& draw, const Judge& judge,
                      bool everyone, Record& record, Interrupt& interrupt);

/// How the rows of each member were drawn, and the first one that counts: members before it saw another table.
struct DrawnFrom {
  std::span<const Sampling* const> sampling;
  std::size_t first = 0;
};

struct Judged {
  OutOfBag out_of_bag;
  std::vector<Record> records;  // with errors only
};

/// What members of a forest answer for the rows that they did not see, and their errors on all rows if `everyone`:
/// for trees that have changed since they were trained.
Judged judge_members(const Forest& forest, const SharedTable& table, const DrawnFrom& drawn, const Judge& judge,
                     bool everyone, ThreadTeam& team, Interrupt& interrupt);

/// Adds the out-of-bag answers up, member by member, and follows the error.
class BagSum {
 public:
  BagSum(const Target& target, const Judge& judge, OutOfBag before);
  void add(const BagAnswers& bag, const std::vector<std::int32_t>& groups);
  const std::vector<double>& curve() const { return bag_.curve; }
  bool covers_all() const { return bag_.n_to_cover > 0; }
  OutOfBag finish() && { return std::move(bag_); }

 private:
  double row_loss(std::size_t row) const;

  const Target& target_;
  const Judge& judge_;
  OutOfBag bag_;
  std::vector<double> loss_;  // by row, times its weight
};

}  // namespace spinney
