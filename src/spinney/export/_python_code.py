"""The functions of a Python module: the same text for every model."""

HEAD = '''\
"""@WHAT, written by spinney: predict(row), where a row is a dict or a sequence."""

INF = float("inf")
'''

COLUMNS = '''

def _number(column, value):
    """Return the number that the tests ask about; None if the value is missing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    codes = CODES[column]
    if codes is None:
        value = float(value)
        return None if value != value else value
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    code = codes.get(value)
    if code is None and codes:
        as_text = isinstance(next(iter(codes)), str)
        if as_text != isinstance(value, str):  # 2, 2.0 and "2" are the same category
            others = _texts(value) if as_text else [_from_text(value)]
            code = next((codes[other] for other in others if other in codes), None)
    return code


def _texts(value):
    whole = isinstance(value, float) and value.is_integer()
    text = str(int(value)) if whole else str(value)
    return [text, text.lower(), text.upper()] if isinstance(value, bool) else [text]


def _from_text(text):
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return None if "_" in text else kind(text)
        except ValueError:
            pass
    return None


def _numbers(row):
    if hasattr(row, "keys"):
        row = [row[name] for name in COLUMNS]
    elif len(row) != len(COLUMNS):
        raise ValueError(f"a row has {len(COLUMNS)} values, got {len(row)}")
    return [_number(column, value) for column, value in enumerate(row)]


def _branch(test, numbers):
    """Return the branch that a test chooses; None if it cannot tell."""
    column, cuts, branches, backwards = test
@EXPRESSION    x = numbers[column]
    if x is None:
        return None
    if not cuts:
        return branches.get(x)
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        if x <= cuts[middle]:
            high = middle
        else:
            low = middle + 1
    return len(cuts) - low if backwards else low
'''

ASK_EXPRESSION = """\
    if column < 0:
        truth = _truth(cuts, numbers)
        return None if truth != truth else int((truth > 0.0) == backwards)
"""

EXPRESSION = '''

def _truth(tokens, numbers):
    """Return 1 if an expression in postfix order is true, 0 if it is false, NaN if unknown."""
    stack = []
    for op, operand in tokens:
        if op == "column":
            operand = numbers[operand]
            stack.append(NAN if operand is None else operand)
        elif op == "constant":
            stack.append(operand)
        elif op in ("sine", "positive", "negate"):
            stack.append(_of_one(op, stack.pop()))
        else:
            right = stack.pop()
            stack.append(_of_two(op, stack.pop(), right))
    return stack[0]


def _of_one(op, a):
    if op == "positive":
        return _known(a > 0.0, a)
    return 1.0 - a if op == "negate" else _sine(a)


def _of_two(op, a, b):
    if op == "add":
        return a + b
    if op == "subtract":
        return a - b
    if op == "multiply":
        return a * b
    if op == "both":
        return 0.0 if a == 0.0 or b == 0.0 else a * b
    if op == "either":
        return 1.0 if a == 1.0 or b == 1.0 else a + b
    return _known(a == b if op == "equal" else a > b, a, b)


def _known(truth, *operands):
    return NAN if any(x != x for x in operands) else float(truth)
'''

SINE = """

def _sine(x):
    if not abs(x) < @FAR:
        return sin(x) if abs(x) < INF else NAN
    n = (x * @INVERSE_PI + @SHIFT) - @SHIFT
    r = ((x - n * @PI1) - n * @PI2) - n * @PI3
    s, p = r * r, 0.0
    for factor in SERIES:
        p = p * s + factor
    y = r + r * s * p
    return y if n % 2.0 == 0.0 else -y
"""

WHOLE = '''

def _mix(row):
    """Return the answer and the label of the leaf: tests, then stand-ins, then the default."""
    numbers, node = _numbers(row), NODES[0]
    while node[0]:
        tests, first, default, _ = node
        for test in tests:
            branch = _branch(test, numbers)
            if branch is not None:
                break
        node = NODES[first + (default if branch is None else branch)]
    return list(node[1]), node[2]
'''

RULE = '''

def _mix(row):
    """Return the answer and the label of the first rule that fires."""
    numbers = _numbers(row)
    for conditions, answer, label in RULES:
        if all(_branch(test, numbers) == wanted for test, wanted in conditions):
            break  # at the latest at the default, which has no conditions
    return list(answer), label
'''

SHARES = '''

def _mix(row):
    """Return the answers of all leaves that a part of the row reaches, and the label.

    Where a test cannot tell, the row goes to every child with the child's share.
    """
    numbers, open_parts, mixed = _numbers(row), [(0, 1.0)], None
    while open_parts:
        place, part = open_parts.pop()
        node = NODES[place]
        if not node[0]:
            mixed = mixed or [0.0] * len(node[1])
            mixed = [total + part * value for total, value in zip(mixed, node[1])]
            continue
        tests, first, _, shares = node
        branch = _branch(tests[0], numbers)
        if branch is not None:
            open_parts.append((first + branch, part))
            continue
        for child in reversed(range(len(shares))):
            if shares[child] > 0:
                open_parts.append((first + child, part * shares[child]))
    return mixed, _cheapest(mixed)


def _cheapest(shares):
    """Return the class of least expected cost; costs closer than rounding are ties."""
    best, least = 0, INF
    for label in range(len(shares)):
        if COST is None:
            expected = sum(shares) - shares[label]
        else:
            expected = sum(share * row[label] for share, row in zip(shares, COST))
        if expected < least * (1.0 - 1e-12):
            best, least = label, expected
    return best
'''

REGRESSION = '''

def predict(row):
    """Return the mean."""
    return _mix(row)[0][0]
'''

LABEL = '''

def predict(row):
    """Return the class."""
    return CLASSES[_mix(row)[1]]


def predict_proba(row):
    """Return the share of each class, in the order of CLASSES."""
    return _mix(row)[0]
'''
