#include "spinney/evolve/evaluate.hpp"

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
    work_out(0, n);
    const kernels::Operand whole = numbers_[0].is;
    whole.data ? std::copy_n(whole.data, n, out + begin) : std::fill_n(out + begin, n, whole.scalar);
  }
}

void Evaluator::block(std::span<const Token> tokens, const NodeColumns& columns, std::size_t begin, std::size_t n) {
  n_numbers_ = n_truths_ = 0;
  for (const Token& token : tokens) {
    if (token.op == Op::column) {
      push({columns.column(token.arg) + begin, 0.0}, columns.bound(token.arg));
    } else if (token.op == Op::constant) {
      push({nullptr, token.value}, std::abs(token.value));
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

void Evaluator::push(kernels::Operand operand, double bound) {
  Numbers& next = numbers_[n_numbers_++];
  next.is = operand;
  next.bound = bound;
  next.waits = false;
}

/// The memory for what stands at a place. What waits just below may need what is there now: it comes first.
double* Evaluator::free_slot(std::size_t place, std::size_t n) {
  if (place > 0) work_out(place - 1, n);
  return number_slot(place);
}

void Evaluator::work_out(std::size_t place, std::size_t n) {
  Numbers& own = numbers_[place];
  if (!own.waits) return;
  double* out = free_slot(place, n);
  kernels::arithmetic(own.op, own.first, own.second, out, n);
  own.is = {out, 0.0};
  own.waits = false;
}

void Evaluator::sine(std::size_t place, std::size_t n) {
  work_out(place, n);
  Numbers& a = numbers_[place];
  if (a.is.data) {
    double* out = free_slot(place, n);
    kernels::sine(a.is.data, out, n, a.bound < kFarSine);
    a.is = {out, 0.0};
  } else {
    a.is.scalar = spinney::sine(a.is.scalar);
  }
  a.bound = a.may_miss() ? kInfinity : 1.0;
}

void Evaluator::arithmetic(Op op, std::size_t n) {
  const std::size_t place = --n_numbers_ - 1;
  work_out(place, n);
  work_out(place + 1, n);
  Numbers& a = numbers_[place];
  const Numbers& b = numbers_[place + 1];
  a.bound = op == Op::multiply ? a.bound * b.bound : a.bound + b.bound;
  if (!a.is.data && !b.is.data) {
    const double x = a.is.scalar, y = b.is.scalar;
    a.is.scalar = op == Op::add ? x + y : op == Op::subtract ? x - y : x * y;
    return;
  }
  a.op = op;
  a.first = a.is;
  a.second = b.is;
  a.waits = true;
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
  using kernels::Relation;
  if (op == Op::positive) push({nullptr, 0.0}, 0.0);
  n_numbers_ -= 2;
  const std::size_t place = n_numbers_;
  const Numbers &a = numbers_[place], &b = numbers_[place + 1];
  const TruthSlot out = truth_slot(n_truths_++);
  *out.complete = !a.may_miss() && !b.may_miss();
  if (b.waits || op == Op::equal || !*out.complete) work_out(place, n);
  if (op == Op::equal || !*out.complete) work_out(place + 1, n);
  if (b.waits) return kernels::compare(a.is, true, b.op, b.first, b.second, out.yes, n);
  if (a.waits) return kernels::compare(b.is, false, a.op, a.first, a.second, out.yes, n);
  if (!a.is.data && !b.is.data) {
    const double x = a.is.scalar, y = b.is.scalar;
    fill(out.yes, n, op == Op::equal ? x == y : x > y);
  } else {
    kernels::compare(a.is, op == Op::equal ? Relation::equal : Relation::greater, b.is, out.yes, n);
  }
  if (*out.complete) return;
  kernels::compare(a.is, Relation::known, b.is, out.no, n);
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
  const Signature& signature = calls_->signatures[token.arg];
  const std::size_t k = signature.takes_truth.size();
  std::vector<std::vector<double>> columns(k, std::vector<double>(n));
  for (std::size_t i = k; i-- > 0;) {
    if (signature.takes_truth[i]) {
      const TruthSlot truth = truth_slot(--n_truths_);
      write_out(truth, n);
      for (std::size_t r = 0; r < n; ++r)
        columns[i][r] = has_bit(truth.yes, r) ? 1.0 : has_bit(truth.no, r) ? 0.0 : kNaN;
    } else {
      work_out(--n_numbers_, n);
      const kernels::Operand own = numbers_[n_numbers_].is;
      for (std::size_t r = 0; r < n; ++r) columns[i][r] = own.data ? own.data[r] : own.scalar;
    }
  }
  std::vector<const double*> given;
  for (const auto& column : columns) given.push_back(column.data());
  std::vector<double> answer(n);
  calls_->run(token.arg, given, n, answer.data());
  if (signature.gives_truth) {
    const TruthSlot out = truth_slot(n_truths_++);
    kernels::compare({answer.data()}, kernels::Relation::greater, {}, out.yes, n);
    kernels::compare({answer.data()}, kernels::Relation::known, {}, out.no, n);
    others(out.yes, out.no, n);
    *out.complete = false;
    return;
  }
  double* out = free_slot(n_numbers_, n);
  std::copy(answer.begin(), answer.end(), out);
  push({out, 0.0}, kInfinity);
}

}  // namespace spinney
