"""One program in C for many models: it reads rows, and writes what each of the models says."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

START = """
#include <stdio.h>
#include <stdlib.h>
HEADERS
enum { most_text = 1 << 25, most_cells = 1 << 20 };
static char text[most_text];
static const char *cells[most_cells];

static double number(const char *cell) { return strtod(cell[0] == '-' ? "nan" : cell + 1, 0); }
"""

RUN = """
static void run_MODEL(int n_rows) {
  static const int is_category[] = {KINDS};
  double row[MODEL_n_features + 1], said[MODEL_n_outputs + 1];
  int i, j;
  for (i = 0; i < n_rows; ++i) {
    for (j = 0; j < MODEL_n_features; ++j) {
      const char *cell = cells[i * MODEL_n_features + j];
      const int known = is_category[j] && cell[0] != '-';
      row[j] = known ? MODEL_category(j, cell + 1) : number(cell);
    }
    said[0] = MODEL_predict(row);
    PROBA
    fwrite(said, sizeof(double), COUNT, stdout);
  }
}
"""

MAIN = """
int main(int argc, char **argv) {
  const int model = argc > 2 ? atoi(argv[1]) : -1, n_rows = argc > 2 ? atoi(argv[2]) : 0;
  const size_t length = fread(text, 1, most_text - 1, stdin);
  size_t i, n_cells = 1;
  cells[0] = text;
  for (i = 0; i < length; ++i) {
    if (text[i] == 0) cells[n_cells++] = &text[i + 1];
  }
  switch (model) {
    CALLS
    default: return 1;
  }
  return 0;
}
"""


def working_compiler(name: str, folder: Path) -> list[str]:
    """The command of a compiler such as "clang -m32"; skips the test where it compiles nothing."""
    first, *options = name.split()
    versions = [first, *(f"{first}-{version}" for version in range(22, 11, -1))]
    found = next(filter(None, map(shutil.which, versions)), first)
    (folder / "empty.c").write_text("#include <stdio.h>\nint main(void) { return 0; }\n")
    command = [found, *options]
    whole = [*command, str(folder / "empty.c"), "-o", str(folder / "empty")]
    if not shutil.which(found) or subprocess.run(whole, capture_output=True).returncode:
        pytest.skip(f"{name} compiles nothing here")
    return command


def source(cases: list[Any]) -> str:
    """The program; model i is in the header m<i>.h, with that prefix."""
    parts = [START.replace("HEADERS", "\n".join(f'#include "m{i}.h"' for i in range(len(cases))))]
    for i, case in enumerate(cases):
        kinds = [str(int(column.kind != "numeric")) for column in case.schema.columns]
        classes = case.classes is not None
        text = RUN.replace("PROBA", "MODEL_predict_proba(row, said + 1);" if classes else "")
        text = text.replace("COUNT", "MODEL_n_classes + 1" if classes else "1")
        parts.append(text.replace("KINDS", ", ".join(kinds)).replace("MODEL", f"m{i}"))
    calls = [f"case {i}: run_m{i}(n_rows); break;" for i in range(len(cases))]
    return "".join([*parts, MAIN.replace("CALLS", "\n    ".join(calls))])


def cell(value: Any) -> str:
    """A value as the program reads it, of a number or of a category."""
    if value is None:
        return "-"
    whole = isinstance(value, float) and value.is_integer()
    return f"={int(value) if whole else value}"
