#include "spinney/evolve/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "spinney/multiversion.hpp"

namespace spinney {

namespace {

// One loop an operation: the compiler vectorises each.

SPINNEY_MULTIVERSION void add_to(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
SPINNEY_MULTIVERSION void add_to(const double* a, double b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b;
}
SPINNEY_MULTIVERSION void subtract_to(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - b[i];
}
SPINNEY_MULTIVERSION void subtract_to(const double* a, double b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] - b;
}
SPINNEY_MULTIVERSION void subtract_to(double a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a - b[i];
}
SPINNEY_MULTIVERSION void multiply_to(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
SPINNEY_MULTIVERSION void multiply_to(const double* a, double b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b;
}
SPINNEY_MULTIVERSION void near_sine_to(const double* a, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = near_sine(a[i]);
}
SPINNEY_MULTIVERSION bool all_near(const double* a, std::size_t n) {
  int far = 0;
  for (std::size_t i = 0; i < n; ++i) far |= !(std::abs(a[i]) < kFarSine);
  return far == 0;
}
SPINNEY_MULTIVERSION void equal_to(const double* a, const double* b, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::uint8_t>((a[i] == b[i] ? 1 : 0) | ((a[i] < b[i]) | (a[i] > b[i]) ? 2 : 0));
}
SPINNEY_MULTIVERSION void equal_to(const double* a, double b, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::uint8_t>((a[i] == b ? 1 : 0) | ((a[i] < b) | (a[i] > b) ? 2 : 0));
}
SPINNEY_MULTIVERSION void greater_to(const double* a, const double* b, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<std::uint8_t>((a[i] > b[i] ? 1 : 0) | (a[i] <= b[i] ? 2 : 0));
}
SPINNEY_MULTIVERSION void greater_to(const double* a, double b, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>((a[i] > b ? 1 : 0) | (a[i] <= b ? 2 : 0));
}
SPINNEY_MULTIVERSION void less_to(const double* a, double b, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>((a[i] < b ? 1 : 0) | (a[i] >= b ? 2 : 0));
}
SPINNEY_MULTIVERSION void both_to(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>((a[i] & b[i] & 1) | ((a[i] | b[i]) & 2));
}
SPINNEY_MULTIVERSION void either_to(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(((a[i] | b[i]) & 1) | (a[i] & b[i] & 2));
}
SPINNEY_MULTIVERSION void negate_to(const std::uint8_t* a, std::uint8_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::uint8_t>(((a[i] << 1) & 2) | (a[i] >> 1));
}

std::uint8_t truth_of(Op op, double a, double b) {
  const bool known = a == a && b == b;
  const bool truth = op == Op::equal ? a == b : a > b;
  return known ? (truth ? kTrueBit : kFalseBit) : std::uint8_t{0};
}

}  // namespace

void Evaluator::truth(std::span<const Token> tokens, const NodeColumns& columns, std::uint8_t* out) {
  block_ = block_size(tokens, columns.n_rows);
  for (std::size_t begin = 0; begin < columns.n_rows; begin += block_) {
    const std::size_t n = std::min(block_, columns.n_rows - begin);
    block(tokens, columns, begin, n);
    std::memcpy(out + begin, truth_slot(0), n);
  }
}

void Evaluator::numbers(std::span<const Token> tokens, const NodeColumns& columns, double* out) {
  block_ = block_size(tokens, columns.n_rows);
  for (std::size_t begin = 0; begin < columns.n_rows; begin += block_) {
    const std::size_t n = std::min(block_, columns.n_rows - begin);
    block(tokens, columns, begin, n);
    if (numbers_[0].data) {
      std::copy_n(numbers_[0].data, n, out + begin);
    } else {
      std::fill_n(out + begin, n, numbers_[0].scalar);
    }
  }
}

void Evaluator::block(std::span<const Token> tokens, const NodeColumns& columns, std::size_t begin, std::size_t n) {
  n_numbers_ = n_truths_ = 0;
  for (const Token& token : tokens) {
    if (token.op == Op::column) {
      numbers_[n_numbers_++] = {columns.column(token.arg) + begin, 0.0};
    } else if (token.op == Op::constant) {
      numbers_[n_numbers_++] = {nullptr, token.value};
    } else if (token.op == Op::call) {
      call(token, n);
    } else if (!gives_truth(token.op)) {
      arithmetic(token.op, n);
    } else if (!takes_truth(token.op)) {
      compare(token.op, n);
    } else {
      logic(token.op, n);
    }
  }
}

void Evaluator::arithmetic(Op op, std::size_t n) {
  const std::size_t place = n_numbers_ - static_cast<std::size_t>(arity(op));
  const Numbers a = numbers_[place], b = op == Op::sine ? Numbers{} : numbers_[place + 1];
  double* out = number_slot(place);
  n_numbers_ = place + 1;
  numbers_[place] = {out, 0.0};
  if (op == Op::sine) {
    if (!a.data) {
      numbers_[place] = {nullptr, sine(a.scalar)};
    } else if (all_near(a.data, n)) {
      near_sine_to(a.data, out, n);
    } else {
      for (std::size_t i = 0; i < n; ++i) out[i] = sine(a.data[i]);
    }
    return;
  }
  if (!a.data && !b.data) {
    const double x = a.scalar, y = b.scalar;
    numbers_[place] = {nullptr, op == Op::add ? x + y : op == Op::subtract ? x - y : x * y};
  } else if (op == Op::add) {
    if (a.data && b.data) {
      add_to(a.data, b.data, out, n);
    } else {
      add_to(a.data ? a.data : b.data, a.data ? b.scalar : a.scalar, out, n);
    }
  } else if (op == Op::multiply) {
    if (a.data && b.data) {
      multiply_to(a.data, b.data, out, n);
    } else {
      multiply_to(a.data ? a.data : b.data, a.data ? b.scalar : a.scalar, out, n);
    }
  } else if (!a.data) {
    subtract_to(a.scalar, b.data, out, n);
  } else if (b.data) {
    subtract_to(a.data, b.data, out, n);
  } else {
    subtract_to(a.data, b.scalar, out, n);
  }
}

void Evaluator::compare(Op op, std::size_t n) {
  const std::size_t place = n_numbers_ - static_cast<std::size_t>(arity(op));
  const Numbers a = numbers_[place], b = op == Op::positive ? Numbers{} : numbers_[place + 1];
  n_numbers_ = place;
  std::uint8_t* out = truth_slot(n_truths_++);
  if (!a.data && !b.data) {
    std::memset(out, truth_of(op, a.scalar, b.scalar), n);
  } else if (op == Op::equal) {
    if (a.data && b.data) {
      equal_to(a.data, b.data, out, n);
    } else {
      equal_to(a.data ? a.data : b.data, a.data ? b.scalar : a.scalar, out, n);
    }
  } else if (!a.data) {
    less_to(b.data, a.scalar, out, n);
  } else if (b.data) {
    greater_to(a.data, b.data, out, n);
  } else {
    greater_to(a.data, b.scalar, out, n);
  }
}

void Evaluator::logic(Op op, std::size_t n) {
  n_truths_ -= static_cast<std::size_t>(arity(op));
  std::uint8_t *a = truth_slot(n_truths_), *b = truth_slot(n_truths_ + 1);
  ++n_truths_;
  if (op == Op::both) {
    both_to(a, b, a, n);
  } else if (op == Op::either) {
    either_to(a, b, a, n);
  } else {
    negate_to(a, a, n);
  }
}

std::size_t Evaluator::block_size(std::span<const Token> tokens, std::size_t n_rows) const {
  const bool calls =
      calls_ && std::any_of(tokens.begin(), tokens.end(), [](const Token& t) { return t.op == Op::call; });
  return calls ? std::max(kBlock, n_rows) : kBlock;
}

/// Hands the operands to the host as columns of numbers, and takes one back.
void Evaluator::call(const Token& token, std::size_t n) {
  const Calls::Signature& signature = calls_->signatures[token.arg];
  const std::size_t k = signature.takes_truth.size();
  std::vector<std::vector<double>> columns(k, std::vector<double>(n));
  for (std::size_t i = k; i-- > 0;) {
    if (signature.takes_truth[i]) {
      const std::uint8_t* truth = truth_slot(--n_truths_);
      for (std::size_t r = 0; r < n; ++r) columns[i][r] = truth[r] == 0 ? kNaN : truth[r] & kTrueBit ? 1.0 : 0.0;
    } else {
      const Numbers own = numbers_[--n_numbers_];
      for (std::size_t r = 0; r < n; ++r) columns[i][r] = own.data ? own.data[r] : own.scalar;
    }
  }
  std::vector<const double*> given;
  for (const auto& column : columns) given.push_back(column.data());
  std::vector<double> answer(n);
  calls_->run(token.arg, given, n, answer.data());
  if (signature.gives_truth) {
    std::uint8_t* out = truth_slot(n_truths_++);
    for (std::size_t r = 0; r < n; ++r) out[r] = std::isnan(answer[r]) ? 0 : answer[r] > 0.0 ? kTrueBit : kFalseBit;
    return;
  }
  double* out = number_slot(n_numbers_);
  std::copy(answer.begin(), answer.end(), out);
  numbers_[n_numbers_++] = {out, 0.0};
}

}  // namespace spinney
