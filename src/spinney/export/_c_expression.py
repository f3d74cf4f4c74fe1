"""The functions and tables of a header in C that answer expressions over several columns."""

from collections.abc import Sequence

from spinney.export._c_tables import enum, numbers, table
from spinney.export._literals import c_number
from spinney.tree._tokens import OPS, Token, most_waiting
from spinney.tree._truth import FAR_SINE, INVERSE_PI, PI, SERIES, SHIFT

TOKEN_TYPE = """
typedef struct { /* a column's place, a constant's value, or what is done with those before */
  int op, column;
  double value;
} PREFIX_token;
"""

_CODE = """
/* A product that no compiler joins with the sum around it, which would round in another way. */
static inline double PREFIX_product(double a, double b) {
  volatile double product = a * b;
  return product;
}
@SINE
/* Of an expression in postfix order: 1 if it is true, 0 if it is false, NaN if nobody knows. */
static inline double PREFIX_truth(const PREFIX_test *test, const double *row) {
  double waiting[PREFIX_n_waiting];
  int n = 0, t;
  for (t = test->cut_begin; t < test->cut_end; ++t) {
    const PREFIX_token *token = &PREFIX_tokens[t];
    double zero = 0.0, a, b = 0.0;
    if (token->op < @ADD) {
      waiting[n++] = token->op == @COLUMN ? row[token->column] : token->value;
      continue;
    }
    if (token->op != @SINE_OP && token->op != @POSITIVE && token->op != @NEGATE) b = waiting[--n];
    a = waiting[n - 1];
    switch (token->op) {
      case @ADD: a = a + b; break;
      case @SUBTRACT: a = a - b; break;
      case @MULTIPLY: a = PREFIX_product(a, b); break;
@SINE_CASE      case @EQUAL: a = a != a || b != b ? zero / zero : a == b; break;
      case @GREATER: a = a != a || b != b ? zero / zero : a > b; break;
      case @POSITIVE: a = a != a ? a : a > 0.0; break;
      case @BOTH: a = a == 0.0 || b == 0.0 ? 0.0 : PREFIX_product(a, b); break;
      case @EITHER: a = a == 1.0 || b == 1.0 ? 1.0 : a + b; break;
      case @NEGATE: a = 1.0 - a; break;
      default: break;
    }
    waiting[n - 1] = a;
  }
  return waiting[0];
}
"""

_SINE = """
/* The sine: the same operations as in training; that of the library far from 0. */
static inline double PREFIX_sine(double x) {
  volatile double shifted;
  double n, r, s, p = 0.0;
  int k;
  if (!(x > -@FAR && x < @FAR)) return sin(x);
  shifted = PREFIX_product(x, @INVERSE_PI) + @SHIFT;
  n = shifted - @SHIFT;
  r = x - PREFIX_product(n, @PI1);
  r = r - PREFIX_product(n, @PI2);
  r = r - PREFIX_product(n, @PI3);
  s = PREFIX_product(r, r);
  for (k = 0; k < @COUNT; ++k) p = PREFIX_product(p, s) + PREFIX_series[k];
  r = r + PREFIX_product(PREFIX_product(r, s), p);
  return (int)n % 2 == 0 ? r : -r;
}
"""

ASK = """\
  if (test->feature < 0) {
    const double truth = PREFIX_truth(test, row);
    return truth != truth ? -1 : (truth > 0.0) == test->backwards;
  }
"""


def expression_code(operations: set[str]) -> str:
    """Return the functions that answer expressions; nothing if there are none."""
    if not operations:
        return ""
    sine, case = "", ""
    if "sine" in operations:
        values = {"INVERSE_PI": INVERSE_PI, "SHIFT": SHIFT, "FAR": FAR_SINE}
        values |= {f"PI{k}": part for k, part in enumerate(PI, start=1)}
        sine = _SINE.replace("@COUNT", str(len(SERIES)))
        for name, value in values.items():
            sine = sine.replace(f"@{name}", c_number(value))
        sine = numbers("double", "PREFIX_series", SERIES) + "\n" + sine
        case = "      case @SINE_OP: a = PREFIX_sine(a); break;\n"
    code = _CODE.replace("@SINE_CASE", case).replace("@SINE\n", sine)
    for op in ("sine", *OPS):
        mark = "@SINE_OP" if op == "sine" else f"@{op.upper()}"
        code = code.replace(mark, str(OPS.index(op)))
    return code


def token_tables(expressions: Sequence[Sequence[Token]]) -> list[str]:
    """Return the table of all tokens, and how many operands may wait at once."""
    if not expressions:
        return []
    entries = [
        f"{{{OPS.index(token.op)}, {token.arg}, {c_number(token.value)}}}"
        for tokens in expressions
        for token in tokens
    ]
    most = max(most_waiting(tokens) for tokens in expressions)
    return [
        table("PREFIX_token", "PREFIX_tokens", entries),
        enum("PREFIX_n_waiting", most),
    ]
