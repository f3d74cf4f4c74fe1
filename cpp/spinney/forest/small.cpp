#include "spinney/forest/small.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "spinney/forest/small_leaves.hpp"
#include "spinney/forest/small_order.hpp"
#include "spinney/forest/small_rows.hpp"
#include "spinney/forest/small_teacher.hpp"
#include "spinney/parallel.hpp"

namespace spinney {

namespace {

constexpr std::size_t kRowsOfChoice = 2048;  // by which trees are chosen, and sizes compared
constexpr std::size_t kJudging = 4;          // rows that fit, for one that judges
constexpr std::size_t kBlock = 256;

float product(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr std::size_t kLanes = 8;
  std::array<float, kLanes> sum{};
  const std::size_t whole = a.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t i = whole; i < a.size(); ++i) sum[0] += a[i] * b[i];
  return std::accumulate(sum.begin(), sum.end(), 0.0F);
}

/// The members to choose from: those of the kinds that may stay, and the others too if these are not enough.
std::vector<std::size_t> candidates(const TreePool& pool, const SmallPlan& plan) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < pool.kind.size(); ++i) {
    if (pool.kind[i] < plan.n_staying) out.push_back(i);
  }
  if (out.size() >= plan.n_trees) return out;
  out.resize(pool.kind.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

/// Draws rows, and asks the pool.
class Teller {
 public:
  Teller(const TreePool& pool, const Teacher& teacher, const std::vector<std::size_t>& candidate)
      : pool_(pool), teacher_(teacher), candidate_(candidate) {}

  Lesson tell(const OwnRows& drawn, std::size_t n_fit, ThreadTeam& team, Interrupt& interrupt) const {
    Lesson out;
    out.is_classes = pool_.target.n_classes > 0;
    out.k = pool_.target.n_outputs();
    out.n = drawn.n;
    out.n_fit = n_fit;
    const std::vector<std::int64_t> asked = ask();
    out.leaf = pool_.forest.leaves(asked, drawn.all(), {team.size(), interrupt});
    out.wanted.assign(drawn.n * out.k, 0.0);
    team.run_if(drawn.n * asked.size() > kParallelWork, (drawn.n + kBlock - 1) / kBlock,
                [&](std::size_t block, std::size_t) {
                  interrupt.check();
                  const std::size_t begin = block * kBlock, end = std::min(drawn.n, begin + kBlock);
                  with_outputs(out.k, [&](auto k) { add_answers(asked, begin, end, out, k); });
                });
    out.leaf.resize(candidate_.size());
    for (const std::size_t i : candidate_) out.answers.push_back(&teacher_.answers[i]);
    set_range(out);
    return out;
  }

 private:
  /// The candidates, and other members that have a share in the answers of the pool.
  std::vector<std::int64_t> ask() const {
    std::vector<std::int64_t> out(candidate_.begin(), candidate_.end());
    std::vector<bool> is_there(pool_.kind.size());
    for (const std::size_t i : candidate_) is_there[i] = true;
    for (std::size_t i = 0; i < is_there.size(); ++i) {
      if (!is_there[i] && teacher_.weight(pool_.kind[i]) > 0.0) out.push_back(static_cast<std::int64_t>(i));
    }
    return out;
  }

  template <class Size>
  void add_answers(const std::vector<std::int64_t>& asked, std::size_t begin, std::size_t end, Lesson& out,
                   Size k) const {
    for (std::size_t place = 0; place < asked.size(); ++place) {
      const auto member = static_cast<std::size_t>(asked[place]);
      const double weight = teacher_.weight(pool_.kind[member]), *const answers = teacher_.answers[member].data();
      if (!(weight > 0.0)) continue;
      const NodeId* const leaf = out.leaf[place].data();
      for (std::size_t row = begin; row < end; ++row) {
        const double* const own = answers + static_cast<std::size_t>(leaf[row]) * k;
        for (std::size_t c = 0; c < k; ++c) out.wanted[row * k + c] += weight * own[c];
      }
    }
  }

  void set_range(Lesson& out) const {
    out.low = kInfinity;
    out.high = -kInfinity;
    for (const std::vector<double>& tree : teacher_.answers) {
      const auto [low, high] = std::minmax_element(tree.begin(), tree.end());
      out.low = std::min(out.low, *low);
      out.high = std::max(out.high, *high);
    }
  }

  const TreePool& pool_;
  const Teacher& teacher_;
  const std::vector<std::size_t>& candidate_;
};

/// Takes one candidate after the other whose mean with those before it is nearest to the pool, or in the order that is
/// given if there is one, and tells how near they are.
std::vector<std::size_t> choose(const Lesson& lesson, std::span<const std::size_t> given, std::size_t most,
                                std::vector<double>& distances, ThreadTeam& team, Interrupt& interrupt) {
  std::vector<std::size_t> open(given.begin(), given.end());
  if (open.empty()) {
    open.resize(lesson.leaf.size());
    std::iota(open.begin(), open.end(), std::size_t{0});
  }
  const std::size_t n_open = open.size(), k = lesson.k;
  const std::size_t room = std::max<std::size_t>(kMostNumbers * 4 / (n_open * k), 64);
  const std::size_t n = std::min({lesson.n_fit, kRowsOfChoice, room});
  std::vector<std::vector<float>> said(n_open, std::vector<float>(n * k));
  std::vector<float> square(n_open), score(n_open), now(n * k), rest(n * k);
  team.run(n_open, [&](std::size_t i, std::size_t) {
    interrupt.check();
    for (std::size_t row = 0; row < n; ++row) std::copy_n(lesson.said(open[i], row), k, said[i].begin() + row * k);
    square[i] = product(said[i], said[i]);
  });
  std::vector<std::uint8_t> taken(n_open);
  std::vector<std::size_t> out;
  const auto rate = [&](std::size_t i) { score[i] = square[i] - 2.0F * product(said[i], rest); };
  for (std::size_t size = 1; size <= std::min(most, n_open); ++size) {
    const auto times = static_cast<float>(size);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = times * static_cast<float>(lesson.wanted[i]) - now[i];
    std::size_t best = given.empty() ? n_open : size - 1;
    if (best < n_open) {
      rate(best);
    } else {
      team.run_if(n * k * n_open > kParallelWork, n_open, [&](std::size_t i, std::size_t) {
        if (!taken[i]) rate(i);
      });
      for (std::size_t i = 0; i < n_open; ++i) {
        if (!taken[i] && (best == n_open || score[i] < score[best])) best = i;
      }
    }
    taken[best] = 1;
    const float off = score[best] + product(rest, rest);  // the squared length of rest, less this tree
    distances.push_back(std::max(off, 0.0F) / (times * times * static_cast<float>(n)));
    for (std::size_t i = 0; i < now.size(); ++i) now[i] += said[best][i];
    out.push_back(open[best]);
  }
  return out;
}

/// How far the first chosen trees are from the pool, by their number.
void compare_sizes(const Lesson& lesson, const SmallPlan& plan, std::span<const std::size_t> chosen, SmallForest& out,
                   ThreadTeam& team, Interrupt& interrupt) {
  const std::size_t most = chosen.size(), n = std::min(lesson.n_fit, kRowsOfChoice);
  for (std::size_t size = 1; size < most; size += std::max<std::size_t>(size / 2, 1))
    out.size.push_back(static_cast<std::int64_t>(size));
  out.size.push_back(static_cast<std::int64_t>(most));
  out.distance.resize(out.size.size());
  team.run(out.size.size(), [&](std::size_t i, std::size_t) {
    const std::size_t task = out.size.size() - 1 - i;  // the longest first
    const auto first = chosen.first(static_cast<std::size_t>(out.size[task]));
    const Answers own = fitted(lesson, first, n, plan.prior_rows, plan.n_sweeps, interrupt);
    out.distance[task] = distance(lesson, first, own);
  });
}

std::size_t enough(const SmallForest& made, const SmallPlan& plan) {
  const double pool = std::isnan(made.pool_loss) ? 0.0 : made.pool_loss;
  const double limit = (pool + made.distance.back()) * (1.0 + plan.stop);
  for (std::size_t i = 0; plan.stop >= 0.0 && i < made.size.size(); ++i) {
    if (pool + made.distance[i] <= limit) return static_cast<std::size_t>(made.size[i]);
  }
  return static_cast<std::size_t>(made.size.back());
}

/// Puts the answers into copies of the chosen members.
Forest finished(const TreePool& pool, std::span<const std::int64_t> chosen, Answers answers, double centre,
                ThreadTeam& team, Interrupt& interrupt) {
  std::vector<Member> members(chosen.size());
  team.run(members.size(), [&](std::size_t j, std::size_t) {
    interrupt.check();
    Tree tree = pool.forest.member(static_cast<std::size_t>(chosen[j])).tree.unpack();
    for (double& answer : answers[j]) answer += centre;
    tree.answer = std::move(answers[j]);
    members[j] = {PackedTree(std::move(tree)), {}};
  });
  return Forest(std::move(members));
}

/// Gives rows weights that are 1 on average: most where the pool is sure, as the logarithm of probabilities has it.
void weigh(Lesson& lesson, double doubt) {
  lesson.weight.assign(lesson.n, 1.0);
  if (!lesson.is_classes || !(doubt > 0.0)) return;
  double total = 0.0;
  for (std::size_t row = 0; row < lesson.n; ++row) {
    double same = 0.0;
    for (std::size_t c = 0; c < lesson.k; ++c)
      same += lesson.wanted[row * lesson.k + c] * lesson.wanted[row * lesson.k + c];
    total += lesson.weight[row] = 1.0 / (1.0 - same + doubt);
  }
  for (double& one : lesson.weight) one *= static_cast<double>(lesson.n) / total;
}

}  // namespace

SmallForest small_forest(const TreePool& pool, const SmallPlan& plan, ThreadTeam& team, Interrupt& interrupt) {
  const KeptRows kept = keep_rows(pool, team, interrupt);
  const Teacher teacher = teach(pool, kept, plan.strengths, team, interrupt);
  const std::size_t wide = std::max(pool.target.n_outputs(), pool.x.n_columns);
  const std::size_t n_fit = std::min(plan.n_drawn, std::max<std::size_t>(kMostNumbers / wide, 64));
  const std::size_t n_judging = std::clamp<std::size_t>(n_fit / kJudging, 1, kRowsOfChoice);
  const NearRows near{kept, pool.target, teacher.of_kind.front(), pool.forest, plan.reach, plan.seed, plan.halvings};
  const std::vector<std::size_t> candidate = candidates(pool, plan);
  Lesson lesson =
      Teller(pool, teacher, candidate).tell(near.draw(n_fit + n_judging, team, interrupt), n_fit, team, interrupt);
  SmallForest out;
  std::vector<std::size_t> order;
  if (plan.order != Order::pool)
    order = ordered(pool, kept, teacher, candidate, plan.order, plan.n_trees, team, interrupt);
  std::vector<std::size_t> chosen = choose(lesson, order, plan.n_trees, out.distance_chosen, team, interrupt);
  for (std::size_t row = 0; lesson.is_classes && row < lesson.n; ++row)
    sharpen(lesson.wanted.data() + row * lesson.k, lesson.k, teacher.power);
  weigh(lesson, plan.doubt);
  out.strength = teacher.strength;
  out.share = teacher.share;
  out.kind_loss = teacher.kind_loss;
  out.power = teacher.power;
  out.pool_loss = teacher.loss;
  compare_sizes(lesson, plan, chosen, out, team, interrupt);
  chosen.resize(enough(out, plan));
  out.distance_chosen.resize(chosen.size());
  for (const std::size_t one : chosen) out.chosen.push_back(static_cast<std::int64_t>(candidate[one]));
  Answers own = fitted(lesson, chosen, n_fit, plan.prior_rows, plan.n_sweeps, interrupt);
  out.forest = finished(pool, out.chosen, std::move(own), teacher.centre, team, interrupt);
  return out;
}

}  // namespace spinney
