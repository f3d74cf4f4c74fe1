#pragma once
// Leaves of a few trees, fitted together to the answers of a pool.

#include "spinney/forest/small_teacher.hpp"

namespace spinney {

/// What a pool answers for drawn rows, and what the trees that may stay answer.
struct Lesson {
  bool is_classes = true;
  std::size_t k = 1, n = 0, n_fit = 0;    // outputs; rows, of which the first so many fit and the others judge
  std::vector<double> wanted;             // n * k
  std::vector<double> weight;             // by row, 1 on average
  std::vector<std::vector<NodeId>> leaf;  // by candidate, then row
  std::vector<const std::vector<double>*> answers;  // by candidate: n_nodes * k
  double low = -kInfinity, high = kInfinity;        // of the pool's answers: numbers may not leave this range

  const double* said(std::size_t candidate, std::size_t row) const {
    return answers[candidate]->data() + static_cast<std::size_t>(leaf[candidate][row]) * k;
  }
};

/// Answers of the chosen candidates whose leaves are fitted in turn, on the first n_rows, to what the others leave of
/// the pool's answers. `prior_rows` hold a leaf back where it was.
Answers fitted(const Lesson& lesson, std::span<const std::size_t> chosen, std::size_t n_rows, double prior_rows,
               int n_sweeps, Interrupt& interrupt);

/// The mean squared distance between the pool and the mean of trees with these answers, on rows that fit nothing.
double distance(const Lesson& lesson, std::span<const std::size_t> chosen, const Answers& answers);

/// Calls take(k) with a constant for few outputs, so that its loops are unrolled.
template <class Take>
decltype(auto) with_outputs(std::size_t k, const Take& take) {
  switch (k) {
    case 1: return take(std::integral_constant<std::size_t, 1>());
    case 2: return take(std::integral_constant<std::size_t, 2>());
    case 3: return take(std::integral_constant<std::size_t, 3>());
    default: return take(k);
  }
}

}  // namespace spinney
