#include "spinney/evolve/evaluate.hpp"

#include "spinney/evolve/kernels.hpp"

namespace spinney {

void Evaluator::truth(std::span<const Token> tokens, const NodeColumns& columns, Truth& out) {
  block_ = block_size(tokens, columns.n_rows());
  out.resize(columns.n_rows());
  for (std::size_t begin = 0; begin < columns.n_rows(); begin += block_) {
    const std::size_t n = std::min(block_, columns.n_rows() - begin);
    block(tokens, columns, begin, n);
    const TruthSlot whole = truth_slot(0);
    std::copy_n(whole.yes, n_words(n), out.yes.data() + begin / kWordBits);
    if (!*whole.complete) std::copy_n(whole.no, n_words(n), out.no.data() + begin / kWordBits);
    out.complete = *whole.complete;  // of all blocks alike: it depends on the columns
  }
}

void Evaluator::numbers(std::span<const Token> tokens, const NodeColumns& columns, double* out) {
  block_ = block_size(tokens, columns.n_rows());
  for (std::size_t begin = 0; begin < columns.n_rows(); begin += block_) {
    const std::size_t n = std::min(block_, columns.n_rows() - begin);
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
      numbers_[n_numbers_++] = {columns.column(token.arg) + begin, 0.0, columns.bound(token.arg)};
    } else if (token.op == Op::constant) {
      numbers_[n_numbers_++] = {nullptr, token.value, std::abs(token.value)};
    } else if (token.op == Op::call) {
      call(token, n);
    } else if (token.op == Op::sine) {
      sine(n_numbers_ - 1, n);
    } else if (!gives_truth(token.op)) {
      arithmetic(token.op, n);
    } else if (!takes_truth(token.op)) {
      compare(token.op, n);
    } else {
      logic(token.op, n);
    }
  }
}

void Evaluator::sine(std::size_t place, std::size_t n) {
  const Numbers a = numbers_[place];
  if (!a.data) {
    numbers_[place] = {nullptr, spinney::sine(a.scalar), a.may_miss() ? kInfinity : 1.0};
    return;
  }
  double* out = number_slot(place);
  kernels::sine(a.data, out, n, a.bound < kFarSine);
  numbers_[place] = {out, 0.0, a.may_miss() ? kInfinity : 1.0};
}

void Evaluator::arithmetic(Op op, std::size_t n) {
  const std::size_t place = --n_numbers_ - 1;
  const Numbers a = numbers_[place], b = numbers_[place + 1];
  double* out = number_slot(place);
  numbers_[place] = {out, 0.0, op == Op::multiply ? a.bound * b.bound : a.bound + b.bound};
  if (!a.data && !b.data) {
    const double x = a.scalar, y = b.scalar;
    numbers_[place].data = nullptr;
    numbers_[place].scalar = op == Op::add ? x + y : op == Op::subtract ? x - y : x * y;
  } else if (op == Op::add) {
    if (a.data && b.data) {
      kernels::add(a.data, b.data, out, n);
    } else {
      kernels::add(a.data ? a.data : b.data, a.data ? b.scalar : a.scalar, out, n);
    }
  } else if (op == Op::multiply) {
    if (a.data && b.data) {
      kernels::multiply(a.data, b.data, out, n);
    } else {
      kernels::multiply(a.data ? a.data : b.data, a.data ? b.scalar : a.scalar, out, n);
    }
  } else if (!a.data) {
    kernels::subtract(a.scalar, b.data, out, n);
  } else if (b.data) {
    kernels::subtract(a.data, b.data, out, n);
  } else {
    kernels::subtract(a.data, b.scalar, out, n);
  }
}

namespace {

void fill(Word* out, std::size_t n, bool value) {
  std::fill_n(out, n_words(n), value ? ~Word{0} : Word{0});
  if (value && n % kWordBits != 0) out[n / kWordBits] = first_bits(n % kWordBits);
}

/// What is known and not true is false.
void others(const Word* yes, Word* no, std::size_t n) {
  for (std::size_t w = 0; w < n_words(n); ++w) no[w] &= ~yes[w];
}

/// Fills the second set, whatever is known.
template <class Slot>
void write_out(const Slot& slot, std::size_t n) {
  if (!*slot.complete) return;
  fill(slot.no, n, true);
  others(slot.yes, slot.no, n);
  *slot.complete = false;
}

}  // namespace

void Evaluator::compare(Op op, std::size_t n) {
  const bool positive = op == Op::positive;
  const std::size_t place = n_numbers_ - (positive ? 1 : 2);
  const Numbers a = numbers_[place], b = positive ? Numbers{nullptr, 0.0, 0.0} : numbers_[place + 1];
  n_numbers_ = place;
  const TruthSlot out = truth_slot(n_truths_++);
  if (!a.data && !b.data) {
    const double x = a.scalar, y = b.scalar;
    *out.complete = x == x && y == y;
    fill(out.yes, n, op == Op::equal ? x == y : x > y);
    if (!*out.complete) fill(out.no, n, false);
    return;
  }
  const double* data = a.data ? a.data : b.data;
  const double scalar = a.data ? b.scalar : a.scalar;
  const bool both = a.data && b.data;
  if (op == Op::equal) {
    both ? kernels::equal(a.data, b.data, out.yes, n) : kernels::equal(data, scalar, out.yes, n);
  } else if (!a.data) {
    kernels::less(data, scalar, out.yes, n);
  } else {
    both ? kernels::greater(a.data, b.data, out.yes, n) : kernels::greater(data, scalar, out.yes, n);
  }
  *out.complete = !a.may_miss() && !b.may_miss();
  if (*out.complete) return;
  both ? kernels::known(a.data, b.data, out.no, n) : kernels::known(data, scalar, out.no, n);
  others(out.yes, out.no, n);
}

void Evaluator::logic(Op op, std::size_t n) {
  if (op == Op::negate) return negate(n);
  --n_truths_;
  const TruthSlot a = truth_slot(n_truths_ - 1), b = truth_slot(n_truths_);
  const bool both = op == Op::both;
  if (!*a.complete || !*b.complete) {
    write_out(a, n);
    write_out(b, n);
    for (std::size_t w = 0; w < n_words(n); ++w) a.no[w] = both ? a.no[w] | b.no[w] : a.no[w] & b.no[w];
  }
  for (std::size_t w = 0; w < n_words(n); ++w) a.yes[w] = both ? a.yes[w] & b.yes[w] : a.yes[w] | b.yes[w];
}

void Evaluator::negate(std::size_t n) {
  const TruthSlot a = truth_slot(n_truths_ - 1);
  const bool complete = *a.complete;
  write_out(a, n);
  std::swap_ranges(a.yes, a.yes + n_words(n), a.no);
  *a.complete = complete;
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
      const TruthSlot truth = truth_slot(--n_truths_);
      write_out(truth, n);
      for (std::size_t r = 0; r < n; ++r)
        columns[i][r] = has_bit(truth.yes, r) ? 1.0 : has_bit(truth.no, r) ? 0.0 : kNaN;
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
    const TruthSlot out = truth_slot(n_truths_++);
    kernels::greater(answer.data(), 0.0, out.yes, n);
    kernels::known(answer.data(), 0.0, out.no, n);
    others(out.yes, out.no, n);
    *out.complete = false;
    return;
  }
  double* out = number_slot(n_numbers_);
  std::copy(answer.begin(), answer.end(), out);
  numbers_[n_numbers_++] = {out, 0.0, kInfinity};
}

}  // namespace spinney
