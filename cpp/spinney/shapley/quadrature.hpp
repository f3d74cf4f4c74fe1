#pragma once
// Shapley values of products, by an integral. A leaf is reached by a coalition with the weight that is the product over
// players of `in` for those in it and `out` for the others. The value of player i in such a game is
//
//   (in_i - out_i) * integral over t from 0 to 1 of the product over others of (in_j * t + out_j * (1 - t)),
//
// Owen's multilinear extension: k! (m - k - 1)! / m! is the integral of t^k (1 - t)^(m - k - 1). The integrand is a
// polynomial of degree m - 1, so that m / 2 points of Gauss and Legendre give the integral itself, as a sum of positive
// numbers: nothing cancels, however deep the tree.

#include <cstddef>
#include <vector>

namespace spinney {

struct Quadrature {
  /// Exact for as many players.
  explicit Quadrature(std::size_t n_players);

  std::vector<double> point, rest, weight;  // t, 1 - t, and what the point counts

  std::size_t size() const { return point.size(); }
};

}  // namespace spinney
