#include "spinney/forest/small_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spinney/parallel.hpp"

namespace spinney {

namespace {

constexpr double kGoal = 0.075;  // of the margin of every row (Martinez-Munoz and Suarez 2006)

class Ordering {
 public:
  Ordering(const TreePool& pool, const KeptRows& kept, const Teacher& teacher, std::span<const std::size_t> candidate,
           ThreadTeam& team, Interrupt& interrupt)
      : pool_(pool),
        kept_(kept),
        teacher_(teacher),
        candidate_(candidate),
        team_(team),
        interrupt_(interrupt),
        k_(pool.target.n_outputs()),
        n_(kept.row.size()) {}

  /// One tree after the other that makes the squared error of the mean least. The mean target is a first answer, so
  /// that a row has one before a tree that left it out is there.
  std::vector<std::size_t> by_loss(std::size_t most) {
    std::vector<double> truth(n_ * k_), sum(n_ * k_), count(n_, 1.0), mean(k_);
    for (std::size_t slot = 0; slot < n_; ++slot) {
      for (std::size_t c = 0; c < k_; ++c)
        mean[c] += (truth[slot * k_ + c] = truth_of(slot, c)) / static_cast<double>(n_);
    }
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = mean[i % k_];
    const auto gain = [&](std::size_t place) {
      double total = 0.0;
      for_unseen(place, [&](std::size_t slot, const double* own) {
        for (std::size_t c = 0; c < k_; ++c) {
          const double now = sum[slot * k_ + c], goal = truth[slot * k_ + c];
          const double before = now / count[slot] - goal, after = (now + own[c]) / (count[slot] + 1.0) - goal;
          total += before * before - after * after;
        }
      });
      return total;
    };
    return greedy(most, gain, [&](std::size_t place) {
      for_unseen(place, [&](std::size_t slot, const double* own) {
        for (std::size_t c = 0; c < k_; ++c) sum[slot * k_ + c] += own[c];
        count[slot] += 1.0;
      });
    });
  }

  /// One tree after the other that brings the mean signature nearest to the same small margin for every row.
  std::vector<std::size_t> by_margin(std::size_t most) {
    sign();
    std::vector<double> sum(n_);
    double times = 1.0;  // trees with the next one
    const auto gain = [&](std::size_t place) {
      double total = 0.0;
      for (std::size_t slot = 0; slot < n_; ++slot) {
        const double off = kGoal - (sum[slot] + signature_[place][slot]) / times;
        total -= off * off;
      }
      return total;
    };
    return greedy(most, gain, [&](std::size_t place) {
      for (std::size_t slot = 0; slot < n_; ++slot) sum[slot] += signature_[place][slot];
      times += 1.0;
    });
  }

  /// By the angle between the signature of a tree and the direction in which all together would be right everywhere.
  std::vector<std::size_t> by_orientation(std::size_t most) {
    sign();
    std::vector<double> all(n_);
    for (const std::vector<std::int8_t>& own : signature_) {
      for (std::size_t slot = 0; slot < n_; ++slot) all[slot] += own[slot];
    }
    const double length = std::inner_product(all.begin(), all.end(), all.begin(), 0.0);
    const double lambda = length > 0.0 ? std::accumulate(all.begin(), all.end(), 0.0) / length : 0.0;
    std::vector<double> cosine;
    for (const std::vector<std::int8_t>& own : signature_) {
      double along = 0.0, square = 0.0;
      for (std::size_t slot = 0; slot < n_; ++slot) {
        along += own[slot] * (1.0 - lambda * all[slot]);
        square += own[slot] != 0 ? 1.0 : 0.0;
      }
      cosine.push_back(square > 0.0 ? along / std::sqrt(square) : 0.0);
    }
    std::vector<std::size_t> out(candidate_.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return cosine[a] > cosine[b]; });
    out.resize(std::min(most, out.size()));
    return out;
  }

 private:
  double truth_of(std::size_t slot, std::size_t c) const {
    const RowIndex row = kept_.row[slot];
    if (pool_.target.n_classes == 0) return pool_.target.y[row] - teacher_.centre;
    return static_cast<std::size_t>(pool_.target.codes[row]) == c ? 1.0 : 0.0;
  }

  template <class Take>
  void for_unseen(std::size_t place, const Take& take) const {
    const std::size_t member = candidate_[place];
    for (std::size_t slot = 0; slot < n_; ++slot) {
      if (!kept_.left_out[member][slot]) continue;
      take(slot, teacher_.answers[member].data() + static_cast<std::size_t>(kept_.leaf[member][slot]) * k_);
    }
  }

  /// Of each tree: 1 for rows that it answers rightly, -1 for others, 0 for rows that it saw.
  void sign() {
    signature_.assign(candidate_.size(), std::vector<std::int8_t>(n_));
    for (std::size_t place = 0; place < candidate_.size(); ++place) {
      for_unseen(place, [&](std::size_t slot, const double* own) {
        const bool right = truth_of(slot, static_cast<std::size_t>(std::max_element(own, own + k_) - own)) > 0.5;
        signature_[place][slot] = right ? 1 : -1;
      });
    }
  }

  template <class Gain, class Add>
  std::vector<std::size_t> greedy(std::size_t most, const Gain& gain, const Add& add) {
    const std::size_t n_trees = candidate_.size();
    std::vector<std::size_t> out;
    std::vector<std::uint8_t> taken(n_trees);
    std::vector<double> now(n_trees);
    while (out.size() < std::min(most, n_trees)) {
      team_.run_if(n_trees * n_ > kParallelWork, n_trees, [&](std::size_t place, std::size_t) {
        interrupt_.check();
        if (!taken[place]) now[place] = gain(place);
      });
      std::size_t best = n_trees;
      for (std::size_t place = 0; place < n_trees; ++place) {
        if (!taken[place] && (best == n_trees || now[place] > now[best])) best = place;
      }
      taken[best] = 1;
      add(best);
      out.push_back(best);
    }
    return out;
  }

  const TreePool& pool_;
  const KeptRows& kept_;
  const Teacher& teacher_;
  std::span<const std::size_t> candidate_;
  ThreadTeam& team_;
  Interrupt& interrupt_;
  std::size_t k_, n_;
  std::vector<std::vector<std::int8_t>> signature_;  // by candidate, then kept row
};

}  // namespace

std::vector<std::size_t> ordered(const TreePool& pool, const KeptRows& kept, const Teacher& teacher,
                                 std::span<const std::size_t> candidate, Order order, std::size_t most,
                                 ThreadTeam& team, Interrupt& interrupt) {
  Ordering own(pool, kept, teacher, candidate, team, interrupt);
  if (order == Order::margin) return own.by_margin(most);
  return order == Order::orientation ? own.by_orientation(most) : own.by_loss(most);
}

}  // namespace spinney
