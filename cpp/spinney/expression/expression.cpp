#include "spinney/expression/expression.hpp"

#include <algorithm>

namespace spinney {

namespace {

double compare(bool known, bool truth) { return known ? (truth ? 1.0 : 0.0) : kNaN; }

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::sine: return sine(a);
    case Op::equal: return compare(a == a && b == b, a == b);
    case Op::greater: return compare(a == a && b == b, a > b);
    case Op::positive: return compare(a == a, a > 0.0);
    case Op::both: return a == 0.0 || b == 0.0 ? 0.0 : a * b;
    case Op::either: return a == 1.0 || b == 1.0 ? 1.0 : a + b;
    case Op::negate: return 1.0 - a;
    default: return kNaN;
  }
}

}  // namespace

double evaluate(std::span<const Token> tokens, const Matrix& x, std::size_t row) {
  double waiting[kMaxOperands];
  std::size_t n = 0;
  for (const Token& token : tokens) {
    const int takes = arity(token.op);
    if (takes == 0) {
      waiting[n++] = token.op == Op::column ? x.at(row, token.arg) : token.value;
    } else if (takes == 1) {
      waiting[n - 1] = apply(token.op, waiting[n - 1], 0.0);
    } else {
      --n;
      waiting[n - 1] = apply(token.op, waiting[n - 1], waiting[n]);
    }
  }
  return waiting[0];
}

namespace {

/// Takes the operands of a token from those that wait, and puts its result there. False if they are not what it takes.
bool take(std::vector<bool>& waiting, const Token& token, std::span<const Signature> calls) {
  const bool is_call = token.op == Op::call;
  for (std::size_t i = n_operands(token); i-- > 0;) {
    const bool wanted = is_call ? calls[token.arg].takes_truth[i] != 0 : takes_truth(token.op);
    if (waiting.back() != wanted) return false;
    waiting.pop_back();
  }
  waiting.push_back(is_call ? calls[token.arg].gives_truth : gives_truth(token.op));
  return true;
}

/// What is wrong with a token whatever stands before it; empty if nothing is.
std::string check_token(const Token& token, std::int32_t n_features, std::span<const Signature> calls) {
  const auto op = static_cast<std::int32_t>(token.op);
  if (token.op == Op::call && !calls.empty()) {
    const bool is_there = token.arg >= 0 && static_cast<std::size_t>(token.arg) < calls.size();
    if (is_there && token.value == static_cast<double>(calls[token.arg].takes_truth.size())) return "";
    return "an expression calls a function that is not there";
  }
  if (op < 0 || op >= kOps) return "an expression has an unknown operation";
  if (token.op == Op::column && (token.arg < 0 || token.arg >= n_features))
    return "an expression asks a column that is not there";
  if (token.op == Op::constant && std::isnan(token.value)) return "an expression has a constant that is NaN";
  if ((token.op != Op::column && token.arg != 0) || (token.op != Op::constant && !(token.value == 0.0)))
    return "only a column and a constant say which";
  return "";
}

}  // namespace

std::string check_expression(std::span<const Token> tokens, std::int32_t n_features, std::span<const Signature> calls) {
  std::vector<bool> waiting;  // whether each operand is a truth value
  for (const Token& token : tokens) {
    if (std::string problem = check_token(token, n_features, calls); !problem.empty()) return problem;
    if (waiting.size() < n_operands(token)) return "an expression lacks an operand";
    if (!take(waiting, token, calls)) return "an expression takes a truth value for a number, or the other way round";
    if (waiting.size() > kMaxOperands) return "an expression is too deep";
  }
  if (waiting.size() != 1) return "an expression must have one result";
  return waiting[0] ? "" : "an expression must be true or false";
}

std::vector<FeatureIndex> columns_of(std::span<const Token> tokens) {
  std::vector<FeatureIndex> columns;
  for (const Token& token : tokens) {
    if (token.op == Op::column) columns.push_back(token.arg);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace spinney
