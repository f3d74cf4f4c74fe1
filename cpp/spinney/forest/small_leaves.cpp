#include "spinney/forest/small_leaves.hpp"

#include <algorithm>

namespace spinney {

namespace {

/// Puts class shares back among those that are not below 0 and add up to 1.
void make_shares(double* shares, std::size_t k) {
  double total = 0.0;
  for (std::size_t c = 0; c < k; ++c) total += shares[c] = std::max(shares[c], 0.0);
  for (std::size_t c = 0; c < k; ++c) shares[c] = total > 0.0 ? shares[c] / total : 1.0 / static_cast<double>(k);
}

class LeafFit {
 public:
  LeafFit(const Lesson& lesson, std::span<const std::size_t> chosen, std::size_t n_rows, double prior_rows)
      : lesson_(lesson),
        chosen_(chosen),
        n_rows_(n_rows),
        prior_rows_(prior_rows),
        each_(1.0 / static_cast<double>(chosen.size())),
        weight_(chosen.size()),
        rest_(lesson.wanted.begin(), lesson.wanted.begin() + static_cast<std::ptrdiff_t>(n_rows * lesson.k)) {}

  /// k: as a constant if there are few outputs.
  template <class Size>
  Answers sweep(int n_sweeps, Size k, Interrupt& interrupt) {
    Answers own;
    for (std::size_t j = 0; j < chosen_.size(); ++j) own.push_back(start(j, k));
    std::vector<double> sum, step(own[0].size());  // of the tree before: a step still to be taken from what is left
    const std::vector<NodeId>* moved = &lesson_.leaf[chosen_[0]];
    for (std::size_t turn = 0; turn < chosen_.size() * static_cast<std::size_t>(n_sweeps); ++turn) {
      interrupt.check();
      const std::size_t j = turn % chosen_.size();
      const std::vector<NodeId>& leaf = lesson_.leaf[chosen_[j]];
      sum.assign(own[j].size(), 0.0);
      for (std::size_t row = 0; row < n_rows_; ++row) {
        double* const left = rest_.data() + row * k;
        const double* const by = step.data() + static_cast<std::size_t>((*moved)[row]) * k;
        double* const at = sum.data() + static_cast<std::size_t>(leaf[row]) * k;
        const double weight = lesson_.weight[row];
        for (std::size_t c = 0; c < k; ++c) {
          left[c] -= by[c];
          at[c] += weight * left[c];
        }
      }
      for (std::size_t node = 0; node < weight_[j].size(); ++node) {
        if (weight_[j][node] > 0.0) move_leaf(own[j].data() + node * k, sum.data() + node * k, weight_[j][node]);
      }
      step.swap(sum);
      moved = &leaf;
    }
    return own;
  }

 private:
  /// The answers of a tree before any fit; takes them off what is left, and weighs its leaves.
  template <class Size>
  std::vector<double> start(std::size_t j, Size k) {
    const std::size_t tree = chosen_[j];
    weight_[j].assign(lesson_.answers[tree]->size() / k, 0.0);
    for (std::size_t row = 0; row < n_rows_; ++row) {
      const double* const said = lesson_.said(tree, row);
      for (std::size_t c = 0; c < k; ++c) rest_[row * k + c] -= each_ * said[c];
      weight_[j][static_cast<std::size_t>(lesson_.leaf[tree][row])] += lesson_.weight[row];
    }
    return *lesson_.answers[tree];
  }

  /// Moves a leaf by its mean residual; the sum of these becomes the step of the mean of all trees.
  void move_leaf(double* own, double* sum, double weight) const {
    const std::size_t k = lesson_.k;
    const double factor = 1.0 / (each_ * (weight + prior_rows_));
    for (std::size_t c = 0; c < k; ++c) {
      const double before = own[c];
      own[c] += factor * sum[c];
      sum[c] = before;
    }
    if (lesson_.is_classes) {
      make_shares(own, k);
    } else {
      own[0] = std::clamp(own[0], lesson_.low, lesson_.high);
    }
    for (std::size_t c = 0; c < k; ++c) sum[c] = each_ * (own[c] - sum[c]);
  }

  const Lesson& lesson_;
  std::span<const std::size_t> chosen_;
  std::size_t n_rows_;
  double prior_rows_, each_;
  std::vector<std::vector<double>> weight_;  // of the rows in each leaf, by tree
  std::vector<double> rest_;                 // what is left of the pool's answers
};

}  // namespace

Answers fitted(const Lesson& lesson, std::span<const std::size_t> chosen, std::size_t n_rows, double prior_rows,
               int n_sweeps, Interrupt& interrupt) {
  LeafFit fit(lesson, chosen, n_rows, prior_rows);
  return with_outputs(lesson.k, [&](auto k) { return fit.sweep(n_sweeps, k, interrupt); });
}

double distance(const Lesson& lesson, std::span<const std::size_t> chosen, const Answers& answers) {
  const std::size_t k = lesson.k;
  std::vector<double> off(k);
  double sum = 0.0;
  for (std::size_t row = lesson.n_fit; row < lesson.n; ++row) {
    for (std::size_t c = 0; c < k; ++c) off[c] = -lesson.wanted[row * k + c];
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      const double* const said = answers[j].data() + static_cast<std::size_t>(lesson.leaf[chosen[j]][row]) * k;
      for (std::size_t c = 0; c < k; ++c) off[c] += said[c] / static_cast<double>(chosen.size());
    }
    for (const double one : off) sum += one * one;
  }
  return sum / static_cast<double>(lesson.n - lesson.n_fit);
}

}  // namespace spinney
