"""The functions of a header in C: the same text for every model but for the prefix of names."""

HEAD = """\
/* @WHAT, written by spinney. It needs @NEEDS.
   A row is an array of double, one for each column; NaN is missing; a category is the number that
   PREFIX_category gives. Do not compile with -ffast-math, which takes NaN away. */

typedef struct { /* cuts: branch i holds cut[i-1] < x <= cut[i]; codes: the branch is listed */
  int feature, cut_begin, cut_end, code_begin, code_end, backwards;
} PREFIX_test;
"""

NODE_TYPE = """
typedef struct { /* the first test is the node's own, the others stand in for it; a leaf has none */
  int test_begin, test_end, first_child, n_children, default_branch, value, label;
} PREFIX_node;
"""

RULE_TYPE = """
typedef struct { /* it fires if each of its tests chooses the branch in PREFIX_wanted */
  int test_begin, test_end, value, label;
} PREFIX_rule;
"""

INNER = """
static inline int PREFIX_same_text(const char *a, const char *b) {
  while (*a != 0 && *a == *b) { ++a; ++b; }
  return *a == *b;
}

/* The number that stands for a category of a column; NaN if fit did not see it. */
static inline double PREFIX_category(int column, const char *text) {
  const int begin = PREFIX_category_begin[column], end = PREFIX_category_begin[column + 1];
  double zero = 0.0;
  int i;
  for (i = begin; i < end; ++i) {
    if (PREFIX_same_text(PREFIX_categories[i], text)) return i - begin;
  }
  return zero / zero;
}

/* The branch that a test chooses, -1 if it cannot tell. */
static inline int PREFIX_answer(const PREFIX_test *test, const double *row) {
  int low, high;
  double x;
@EXPRESSION  x = row[test->feature];
  if (x != x) return -1;
  if (test->cut_begin < test->cut_end) {
    low = test->cut_begin;
    high = test->cut_end;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (x <= PREFIX_cuts[middle]) high = middle; else low = middle + 1;
    }
    return test->backwards ? test->cut_end - low : low - test->cut_begin;
  }
  low = test->code_begin;
  high = test->code_end;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (x <= PREFIX_codes[middle]) high = middle; else low = middle + 1;
  }
  return low < test->code_end && x == PREFIX_codes[low] ? PREFIX_branches[low] : -1;
}
"""

LEAF = """
/* The leaf of a row: where a test cannot tell, its stand-ins are asked, then it goes by default. */
static inline const PREFIX_node *PREFIX_decider(const double *row) {
  const PREFIX_node *node = PREFIX_nodes;
  while (node->n_children > 0) {
    int branch = -1, t;
    for (t = node->test_begin; branch < 0 && t < node->test_end; ++t) {
      branch = PREFIX_answer(&PREFIX_tests[t], row);
    }
    node = &PREFIX_nodes[node->first_child + (branch < 0 ? node->default_branch : branch)];
  }
  return node;
}
"""

RULE = """
/* The first rule that fires; the last one is the default, which has no tests. */
static inline const PREFIX_rule *PREFIX_decider(const double *row) {
  const PREFIX_rule *rule = PREFIX_rules;
  int t = rule->test_begin;
  while (t < rule->test_end) {
    const PREFIX_test *test = &PREFIX_tests[t];
    if (PREFIX_answer(test, row) == PREFIX_wanted[t]) ++t;
    else t = (++rule)->test_begin;
  }
  return rule;
}
"""

WHOLE = """
static inline void PREFIX_mix(const double *row, double *out) {
  const double *value = &PREFIX_values[PREFIX_decider(row)->value * PREFIX_n_outputs];
  int k;
  for (k = 0; k < PREFIX_n_outputs; ++k) out[k] = value[k];
}
"""

SHARES = """
/* The answers of all leaves that a part of the row reaches, times the part: where a test cannot
   tell, the row goes to every child with the child's share. */
static inline void PREFIX_mix(const double *row, double *out) {
  int open[PREFIX_n_open];
  double part[PREFIX_n_open];
  int n_open = 1, k;
  open[0] = 0;
  part[0] = 1.0;
  for (k = 0; k < PREFIX_n_outputs; ++k) out[k] = 0.0;
  while (n_open > 0) {
    const PREFIX_node *node = &PREFIX_nodes[open[--n_open]];
    const double here = part[n_open];
    const PREFIX_test *test = &PREFIX_tests[node->test_begin];
    int branch, child;
    if (node->n_children == 0) {
      const double *value = &PREFIX_values[node->value * PREFIX_n_outputs];
      for (k = 0; k < PREFIX_n_outputs; ++k) out[k] += here * value[k];
      continue;
    }
    branch = PREFIX_answer(test, row);
    for (child = node->first_child + node->n_children; child-- > node->first_child;) {
      const int chosen = branch == child - node->first_child;
      if (chosen || (branch < 0 && PREFIX_shares[child] > 0.0)) {
        open[n_open] = child;
        part[n_open++] = chosen ? here : here * PREFIX_shares[child];
      }
    }
  }
}
"""

REGRESSION = """
/* The mean. */
static inline double PREFIX_predict(const double *row) {
  double mean;
  PREFIX_mix(row, &mean);
  return mean;
}
"""

_LABEL = """
/* The share of each class. */
static inline void PREFIX_predict_proba(const double *row, double *out) { PREFIX_mix(row, out); }

/* The predicted class, as its place in PREFIX_classes. */
static inline int PREFIX_predict(const double *row) {
  @BODY
}
"""

_LABEL_WHOLE = "return PREFIX_decider(row)->label;"

_LABEL_SHARES = """\
double share[PREFIX_n_classes], least = 0.0;
  int best = 0, j, k;
  PREFIX_mix(row, share);
  /* the class of least expected cost; ties go to the first */
  for (j = 0; j < PREFIX_n_classes; ++j) {
    double expected = 0.0;
    for (k = 0; k < PREFIX_n_classes; ++k) {
      expected += share[k] * (PREFIX_has_cost ? PREFIX_cost[k * PREFIX_n_classes + j] : 1.0);
    }
    if (!PREFIX_has_cost) expected -= share[j];
    if (j == 0 || expected < least * (1.0 - 1e-12)) { /* closer is a tie */
      least = expected;
      best = j;
    }
  }
  return best;"""


def label_code(fractional: bool) -> str:
    """Return the functions that give the shares and the label of classes."""
    return _LABEL.replace("@BODY", _LABEL_SHARES if fractional else _LABEL_WHOLE)
