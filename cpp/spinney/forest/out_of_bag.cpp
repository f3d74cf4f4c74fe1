#include "spinney/forest/out_of_bag.hpp"

#include <algorithm>

namespace spinney {

BagAnswers answer_bag(const SharedTable& table, const Learned& learned, const MemberSample& draw, const Judge& judge,
                      bool everyone, Record& record, Interrupt& interrupt) {
  const Samples& samples = table.samples;
  const Target& target = table.target;
  OutsideAnswers bag;  // the rows left out, then, if asked for, the others
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    if (draw.counts[s] == 0.0) bag.rows.push_back(samples.row[s]);
  }
  const std::size_t n_bag = bag.rows.size();
  for (SampleIndex s = 0; everyone && s < samples.size(); ++s) {
    if (draw.counts[s] != 0.0) bag.rows.push_back(samples.row[s]);
  }
  bag.answers.resize(bag.rows.size());
  Predictor(learned.tree).answers(learned.tree, table.data.values, bag.rows, bag.answers.data(), interrupt);
  const auto loss = [&](const OutsideAnswers& of, std::size_t i) {
    return answer_loss(judge, target, draw.groups, of.rows[i], of.answers[i]);
  };
  for (std::size_t i = 0; everyone && i < bag.rows.size(); ++i) record.training_error += loss(bag, i);
  bag.rows.resize(n_bag);
  bag.answers.resize(n_bag);
  if (n_bag == 0) bag = learned.outside;
  for (std::size_t i = 0; everyone && i < bag.rows.size(); ++i) {
    record.bag_error += loss(bag, i);
    record.bag_weight += target.weight[bag.rows[i]];
  }
  BagAnswers out;
  if (target.n_classes > 0) {
    out.labels.assign(bag.answers.begin(), bag.answers.end());
  } else {
    out.numbers = std::move(bag.answers);
  }
  out.rows = std::move(bag.rows);
  out.rows.shrink_to_fit();
  return out;
}

Judged judge_members(const Forest& forest, const SharedTable& table, const DrawnFrom& drawn, const Judge& judge,
                     bool everyone, ThreadTeam& team, Interrupt& interrupt) {
  Judged out;
  out.records.resize(forest.size());
  BagSum bag(table.target, judge, {});
  std::vector<BagAnswers> answers;
  for (std::size_t begin = drawn.first; begin < forest.size(); begin += answers.size()) {
    answers.assign(std::min(2 * team.size(), forest.size() - begin), {});
    team.run(answers.size(), [&](std::size_t i, std::size_t) {
      interrupt.check();
      const std::size_t member = begin + i;
      const Learned learned{forest.member(member).tree.unpack(), {}, true, {}};
      const MemberSample draw = drawn.sampling[member]->draw(table, member);
      answers[i] = answer_bag(table, learned, draw, judge, everyone, out.records[member], interrupt);
    });
    for (std::size_t i = 0; i < answers.size(); ++i) bag.add(answers[i], forest.member(begin + i).groups);
  }
  out.out_of_bag = std::move(bag).finish();
  return out;
}

BagSum::BagSum(const Target& target, const Judge& judge, OutOfBag before)
    : target_(target), judge_(judge), bag_(std::move(before)) {
  const std::size_t n = target.n_rows(), k = target.n_outputs();
  bag_.sums.resize(n * k, 0.0);
  bag_.n_votes.resize(n, 0);
  loss_.resize(n, 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    if (bag_.n_votes[row] > 0) loss_[row] = row_loss(row);
  }
}

void BagSum::add(const BagAnswers& bag, const std::vector<std::int32_t>& groups) {
  const std::size_t k = target_.n_outputs();
  for (std::size_t i = 0; i < bag.rows.size(); ++i) {
    const std::size_t row = bag.rows[i];
    double* sums = bag_.sums.data() + row * k;
    if (target_.n_classes == 0) {
      sums[0] += bag.numbers[i];
    } else if (groups.empty()) {
      sums[bag.labels[i]] += 1.0;
    } else {
      for (std::size_t c = 0; c < k; ++c) sums[c] += groups[c] == bag.labels[i] ? 1.0 : 0.0;
    }
    ++bag_.n_votes[row];
    loss_[row] = row_loss(row);
  }
  double total = 0.0, weight = 0.0;
  bool all = true;
  for (std::size_t row = 0; row < loss_.size(); ++row) {
    const bool answered = bag_.n_votes[row] > 0;
    total += loss_[row];
    weight += answered ? target_.weight[row] : 0.0;
    all = all && (answered || !(target_.weight[row] > 0.0));
  }
  bag_.curve.push_back(weight > 0.0 ? total / weight : kNaN);
  if (all && bag_.n_to_cover == 0) bag_.n_to_cover = static_cast<std::int64_t>(bag_.curve.size());
}

double BagSum::row_loss(std::size_t row) const {
  const double* sums = bag_.sums.data() + row * target_.n_outputs();
  const double answer = target_.n_classes > 0
                            ? static_cast<double>(std::max_element(sums, sums + target_.n_classes) - sums)
                            : *sums / static_cast<double>(bag_.n_votes[row]);
  return answer_loss(judge_, target_, {}, row, answer);
}

}  // namespace spinney
