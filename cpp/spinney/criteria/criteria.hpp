#pragma once
// The criteria of classification: how mixed a group of rows is, and what a division gains. The only list of them.
//
// A criterion gives loss(weights, total, k) = total * impurity: losses of groups add up, so the gain of a division
// times the node's weight is loss(parent) - loss(left) - loss(right), the *drop*. A goodness of split (twoing)
// gives the drop itself.
//
// To add one: a struct here, a line in with_class_criterion, its formula in tests/reference/criteria.py.

#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "spinney/types.hpp"

namespace spinney {

enum class CriterionKind : std::uint8_t {
  gini,
  entropy,
  misclassification,
  exponent,
  twoing,
  callable,
  squared_error,
  absolute_error,
};

/// 1 - sum p^2.
struct Gini {
  static constexpr bool kConcave = true;  // strictly: only segment borders can be best
  double loss(const double* w, double total, std::int32_t k) const {
    double squares = 0.0;
    for (std::int32_t i = 0; i < k; ++i) squares += w[i] * w[i];
    return total - squares / total;
  }
};

/// sum over i != j of L_ij p_i p_j.
struct CostGini {
  static constexpr bool kConcave = false;
  const std::vector<double>* cost;
  double loss(const double* w, double total, std::int32_t k) const {
    double sum = 0.0;
    for (std::int32_t i = 0; i < k; ++i) {
      for (std::int32_t j = 0; j < k; ++j) sum += (*cost)[static_cast<std::size_t>(i) * k + j] * w[i] * w[j];
    }
    return sum / total;
  }
};

/// In bits.
struct Entropy {
  static constexpr bool kConcave = true;
  double loss(const double* w, double total, std::int32_t k) const {
    double sum = 0.0;
    for (std::int32_t i = 0; i < k; ++i) {
      if (w[i] > 0.0) sum += w[i] * std::log2(total / w[i]);
    }
    return sum;
  }
};

/// 1 - max p.
struct Misclassification {
  static constexpr bool kConcave = false;
  double loss(const double* w, double total, std::int32_t k) const {
    double most = 0.0;
    for (std::int32_t i = 0; i < k; ++i) most = w[i] > most ? w[i] : most;
    return total - most;
  }
};

/// 1 - (1/e) sum p e^p.
struct Exponent {
  static constexpr bool kConcave = true;
  double loss(const double* w, double total, std::int32_t k) const {
    double sum = 0.0;
    for (std::int32_t i = 0; i < k; ++i) sum += w[i] * std::exp(w[i] / total - 1.0);
    return total - sum;
  }
};

/// pL pR / 4 (sum |p(j|L) - p(j|R)|)^2, a goodness of split; as a node's impurity Gini stands in.
struct Twoing {
  static constexpr bool kConcave = false;
  double loss(const double* w, double total, std::int32_t k) const { return Gini{}.loss(w, total, k); }
  double drop(const double* left, double left_total, const double* right, double right_total, std::int32_t k) const {
    double distance = 0.0;
    for (std::int32_t i = 0; i < k; ++i) distance += std::abs(left[i] / left_total - right[i] / right_total);
    const double total = left_total + right_total;
    return left_total / total * right_total / 4.0 * distance * distance;
  }
};

/// A user's impurity of (n_groups, n_classes) shares, asked for many groups at once.
struct CallableImpurity {
  static constexpr bool kConcave = false;
  using Function = std::function<void(const double* shares, std::size_t n_groups, std::int32_t k, double* impurity)>;
  const Function* function;
  double loss(const double* w, double total, std::int32_t k) const {
    std::vector<double> shares(w, w + k);
    for (double& share : shares) share /= total;
    double impurity = 0.0;
    (*function)(shares.data(), 1, k, &impurity);
    return total * impurity;
  }
};

/// What the choice of a criterion may need besides its name.
struct CriterionChoice {
  CriterionKind kind = CriterionKind::gini;
  std::vector<double> cost;  // Gini with costs; empty without
  CallableImpurity::Function callable;
};

/// Calls body(criterion) with the concrete type, so that everything below is inlined.
template <class Body>
auto with_class_criterion(const CriterionChoice& choice, Body&& body) {
  switch (choice.kind) {
    case CriterionKind::gini: return choice.cost.empty() ? body(Gini{}) : body(CostGini{&choice.cost});
    case CriterionKind::entropy: return body(Entropy{});
    case CriterionKind::misclassification: return body(Misclassification{});
    case CriterionKind::exponent: return body(Exponent{});
    case CriterionKind::twoing: return body(Twoing{});
    case CriterionKind::callable: return body(CallableImpurity{&choice.callable});
    default: throw std::invalid_argument("this criterion is not for classes");
  }
}

}  // namespace spinney
