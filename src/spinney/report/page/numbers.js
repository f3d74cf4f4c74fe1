// Numbers as the reader's browser writes them: 1,234.5 or 1.234,5.
window.Spinney = {};
(function (S) {
  "use strict";
  const locale = navigator.language || "en";
  const made = new Map();

  function format(key, options) {
    if (!made.has(key)) made.set(key, new Intl.NumberFormat(locale, options));
    return made.get(key);
  }

  const plus = (x) => (Object.is(x, -0) || Math.abs(x) < 1e-300 ? 0 : x); // never -0

  S.number = function (x, digits) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    if (x === Infinity || x === -Infinity) return x > 0 ? "∞" : "−∞";
    const d = digits || 4;
    const size = Math.abs(x);
    if (size !== 0 && (size < 1e-4 || size >= 1e12)) {
      return format("e" + d, { notation: "scientific", maximumSignificantDigits: d }).format(x);
    }
    x = plus(x);
    return format("n" + d, { maximumSignificantDigits: Math.max(d, size >= 1 ? Math.ceil(Math.log10(size + 1)) : d) }).format(x);
  };
  S.exact = (x) => S.number(x, 10);
  S.count = (x) => (x === null ? "–" : format("c", { maximumFractionDigits: 1 }).format(Math.abs(x) < 1e-9 ? 0 : x));
  S.share = function (x, digits) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    const d = digits === undefined ? 1 : digits;
    return format("p" + d, { style: "percent", minimumFractionDigits: d, maximumFractionDigits: d }).format(Math.abs(x) < 1e-12 ? 0 : x);
  };
  S.fixed = function (x, digits) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    return format("f" + digits, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(x);
  };

  const decimal = format("n4", { maximumSignificantDigits: 4 }).format(1.5).charAt(1);

  // Reads a typed number; NaN if it is none. A decimal comma is taken where the reader's locale has it.
  S.parse = function (text) {
    let plain = String(text).trim().replace("−", "-");
    if (/^[+-]?inf(inity)?$/i.test(plain)) return plain[0] === "-" ? -Infinity : Infinity;
    if (plain === "") return NaN;
    if (decimal === "," && /^[+-]?\d{1,3}(\.\d{3})*,\d+$|^[+-]?\d+,\d+$/.test(plain)) {
      plain = plain.replace(/\./g, "").replace(",", ".");
    }
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
  };

  // The number of a payload, where infinities are text.
  S.revive = (x) => (x === "inf" ? Infinity : x === "-inf" ? -Infinity : x);
})(window.Spinney);
