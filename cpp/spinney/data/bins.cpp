#include "spinney/data/bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "spinney/data/border_search.hpp"
#include "spinney/data/cut.hpp"

namespace spinney {

namespace {

constexpr std::size_t kMostCategories = kMostBins - 1;
constexpr std::size_t kTile = 512;                          // rows taken together: they stay in the nearest cache
constexpr std::size_t kDealt = std::size_t{1} << 15;        // rows of which columns are dealt one by one
constexpr std::size_t kColumnsALine = 8;                    // doubles of a row that are fetched together
constexpr std::size_t kCopiedBytes = std::size_t{1} << 28;  // values that a thread takes out of a table at a time

/// Values of a few columns, without gaps: rows are passed once for all of them, a tile at a time.
void take_values(const BinInput& input, std::span<const FeatureIndex> columns,
                 std::vector<std::vector<double>>& values) {
  values.resize(columns.size());
  for (auto& column : values) column.resize(input.rows.size());
  std::vector<std::size_t> n(columns.size(), 0);
  for (std::size_t begin = 0; begin < input.rows.size(); begin += kTile) {
    const auto rows = input.rows.subspan(begin, std::min(kTile, input.rows.size() - begin));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double* const out = values[c].data() + n[c];
      std::size_t n_missing = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        out[i] = input.data.values.at(rows[i], columns[c]) + 0.0;  // both zeros are one
        n_missing += out[i] != out[i] ? 1 : 0;
      }
      if (n_missing > 0)
        static_cast<void>(std::remove_if(out, out + rows.size(), [](double value) { return std::isnan(value); }));
      n[c] += rows.size() - n_missing;
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) values[c].resize(n[c]);
}

}  // namespace

double BinBorders::cut(std::size_t f, std::size_t lower_bin, std::size_t upper_bin) const {
  return cut_between(highs(f)[lower_bin], lows(f)[upper_bin]);
}

const char* BinBorders::check(std::span<const Column> columns) const {
  if (nominal.size() != columns.size() || n_bins.size() != columns.size() || first.size() != columns.size() + 1 ||
      first.front() != 0 || low.size() != first.back() || high.size() != first.back())
    return "the arrays of bin borders differ in length";
  for (std::size_t f = 0; f < columns.size(); ++f) {
    const bool is_nominal = columns[f].kind == ColumnKind::nominal;
    if ((nominal[f] != 0) != is_nominal) return "bin borders of another kind of column";
    if (first[f] > first[f + 1] || first[f + 1] - first[f] != (is_nominal ? 0 : n_bins[f])) return "bins out of place";
    if (n_bins[f] > (is_nominal ? kMostCategories : kMostBins)) return "too many bins";
    for (std::size_t b = first[f]; b < first[f + 1]; ++b) {
      if (!(low[b] <= high[b]) || (b > first[f] && !(high[b - 1] < low[b]))) return "bin borders do not ascend";
    }
  }
  return "";
}

BinBorders find_borders(const BinInput& input, std::size_t max_bins, ThreadTeam& team, Interrupt& interrupt) {
  const std::size_t n_columns = input.data.columns.size();
  std::vector<FeatureIndex> numeric;
  BinBorders out{std::vector<std::uint8_t>(n_columns, 0), std::vector<std::uint32_t>(n_columns, 0), {0}, {}, {}};
  for (const FeatureIndex f : asked_columns(input.features, input.data.columns.size())) {
    const Column& column = input.data.columns[f];
    if (column.kind != ColumnKind::nominal) {
      numeric.push_back(f);
    } else if (static_cast<std::size_t>(column.n_categories) > kMostCategories) {
      throw std::invalid_argument("column " + std::to_string(f) + " has more than 65534 categories");
    } else {
      out.n_bins[f] = static_cast<std::uint32_t>(column.n_categories);
    }
  }
  for (std::size_t f = 0; f < n_columns; ++f) out.nominal[f] = input.data.columns[f].kind == ColumnKind::nominal;
  std::vector<std::vector<double>> low(n_columns), high(n_columns);
  const std::size_t column_bytes = std::max<std::size_t>(1, input.rows.size() * sizeof(double));
  const std::size_t together =
      input.data.values.column_stride == 1 ? std::clamp<std::size_t>(kCopiedBytes / column_bytes, 1, kColumnsALine) : 1;
  std::vector<BorderSearch> searches(team.size(), BorderSearch(interrupt));
  std::vector<std::vector<std::vector<double>>> values(team.size());
  team.run((numeric.size() + together - 1) / together, [&](std::size_t part, std::size_t worker) {
    interrupt.check();
    const std::size_t begin = part * together, n = std::min(together, numeric.size() - begin);
    const auto columns = std::span<const FeatureIndex>(numeric).subspan(begin, n);
    take_values(input, columns, values[worker]);
    for (std::size_t c = 0; c < n; ++c)
      searches[worker].find(values[worker][c], max_bins, low[columns[c]], high[columns[c]]);
  });
  for (std::size_t f = 0; f < n_columns; ++f) {
    if (!out.nominal[f]) out.n_bins[f] = static_cast<std::uint32_t>(low[f].size());
    out.low.insert(out.low.end(), low[f].begin(), low[f].end());
    out.high.insert(out.high.end(), high[f].begin(), high[f].end());
    out.first.push_back(out.low.size());
  }
  return out;
}

DealtRows deal_rows(const BinInput& input, const std::vector<std::vector<double>>& splitters, ThreadTeam& team,
                    Interrupt& interrupt) {
  const std::size_t n_columns = input.data.columns.size(), n_rows = input.data.values.n_rows;
  std::vector<std::size_t> first{0};  // by column: where its counts are
  for (const auto& own : splitters) first.push_back(first.back() + 2 * own.size() + 1);
  DealtRows out{std::vector<std::uint16_t>(n_columns * n_rows, DealtRows::kNoBucket),
                std::vector<std::int64_t>(first.back(), 0)};
  std::vector<FeatureIndex> numeric;
  for (std::size_t f = 0; f < n_columns; ++f) {
    if (input.data.columns[f].kind != ColumnKind::nominal) numeric.push_back(static_cast<FeatureIndex>(f));
  }
  // Columns whose values are fetched together are taken together, and dealt one after the other for so many rows that
  // the splitters and counts of one, which fill a cache, are not fetched for few.
  team.run((numeric.size() + kColumnsALine - 1) / kColumnsALine, [&](std::size_t part, std::size_t) {
    const std::size_t from = part * kColumnsALine, n = std::min(kColumnsALine, numeric.size() - from);
    std::vector<PlaceSearch> searches;
    for (std::size_t c = 0; c < n; ++c) searches.emplace_back(splitters[numeric[from + c]], input.rows.size());
    std::vector<double> taken(n * std::min(kDealt, input.rows.size()));
    std::array<std::uint32_t, kTile> place;
    for (std::size_t begin = 0; begin < input.rows.size(); begin += kDealt) {
      const auto rows = input.rows.subspan(begin, std::min(kDealt, input.rows.size() - begin));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t c = 0; c < n; ++c)
          taken[c * rows.size() + i] = input.data.values.at(rows[i], numeric[from + c]) + 0.0;
      }
      for (std::size_t c = 0; c < n; ++c) {
        interrupt.check();
        const PlaceSearch& search = searches[c];
        const double* const x = taken.data() + c * rows.size();
        std::uint16_t* const bucket = out.bucket.data() + numeric[from + c] * n_rows;
        std::int64_t* const count = out.count.data() + first[numeric[from + c]];
        for (std::size_t tile = 0; tile < rows.size(); tile += kTile) {
          const std::size_t end = std::min(rows.size(), tile + kTile);
          search.find(x + tile, end - tile, place.data());
          for (std::size_t i = tile; i < end; ++i) {
            if (std::isnan(x[i])) continue;
            const std::uint32_t at = place[i - tile];
            const std::uint32_t own = 2 * at + (at < search.size() && x[i] == search[at] ? 1 : 0);
            bucket[rows[i]] = static_cast<std::uint16_t>(own);
            ++count[own];
          }
        }
      }
    }
  });
  return out;
}

std::vector<std::vector<double>> take_dealt(const Dataset& data, const std::uint16_t* bucket,
                                            const std::vector<std::vector<std::uint16_t>>& wanted,
                                            Interrupt& interrupt) {
  const std::size_t n_rows = data.values.n_rows;
  std::vector<std::vector<double>> out(data.columns.size());
  std::vector<std::uint8_t> is_wanted(std::size_t{DealtRows::kNoBucket} + 1);
  for (std::size_t f = 0; f < out.size(); ++f) {
    if (wanted[f].empty()) continue;
    interrupt.check();
    std::fill(is_wanted.begin(), is_wanted.end(), std::uint8_t{0});
    for (const std::uint16_t one : wanted[f]) is_wanted[one] = 1;
    const std::uint16_t* const own = bucket + f * n_rows;
    for (std::size_t row = 0; row < n_rows; ++row) {
      if (is_wanted[own[row]] != 0) out[f].push_back(data.values.at(row, f) + 0.0);  // zeros are one
    }
    std::sort(out[f].begin(), out[f].end());
  }
  return out;
}

namespace {

/// Codes of one column, a tile of rows at a time.
class ColumnCoder {
 public:
  ColumnCoder(const BinInput& input, const BinBorders& borders, FeatureIndex f)
      : input_(input), f_(f), n_bins_(borders.n_bins[f]), nominal_(borders.nominal[f] != 0) {
    if (nominal_) return;
    // By cuts, not by the largest values: a row of a value that no bin has then goes with the tests between bins.
    std::vector<double> cuts;
    for (std::uint32_t b = 0; b + 1 < n_bins_; ++b) cuts.push_back(borders.cut(f, b, b + 1));
    cuts_ = PlaceSearch(std::move(cuts), input.rows.size());
  }

  /// Writes the codes of rows [begin, begin + n), stride apart.
  template <class Code>
  void code(std::size_t begin, std::size_t n, Code* out, std::size_t stride) const {
    std::array<double, kTile> x{};
    std::array<std::uint32_t, kTile> bin;
    for (std::size_t i = 0; i < n; ++i) x[i] = input_.data.values.at(input_.rows[begin + i], f_);
    if (nominal_) {
      for (std::size_t i = 0; i < n; ++i) bin[i] = category(x[i], input_.rows[begin + i]);
    } else {
      cuts_.find(x.data(), n, bin.data());
    }
    for (std::size_t i = 0; i < n; ++i) out[i * stride] = static_cast<Code>(std::isnan(x[i]) ? n_bins_ : bin[i]);
  }

 private:
  std::uint32_t category(double value, RowIndex row) const {
    if (std::isnan(value)) return 0;
    if (!(value >= 0.0 && value < n_bins_)) {
      throw std::invalid_argument("column " + std::to_string(f_) + ", row " + std::to_string(row) +
                                  ": not a category code");
    }
    return static_cast<std::uint32_t>(value);
  }

  const BinInput& input_;
  FeatureIndex f_;
  std::uint32_t n_bins_;
  bool nominal_;
  PlaceSearch cuts_;
};

template <class Code>
void code_tile(const std::vector<ColumnCoder>& coders, std::size_t begin, std::size_t n, CodeBlock<Code>& block) {
  const std::size_t stride = coders.size();
  for (std::size_t c = 0; c < stride; ++c) coders[c].code(begin, n, block.own.data() + begin * stride + c, stride);
}

}  // namespace

BinnedRows::BinnedRows(const BinInput& input, const BinBorders& borders, ThreadTeam& team, Interrupt& interrupt)
    : place_(input.data.columns.size(), {false, 0}) {
  place(asked_columns(input.features, input.data.columns.size()), borders);
  std::vector<ColumnCoder> narrow, wide;
  for (const FeatureIndex f : narrow_.columns) narrow.emplace_back(input, borders, f);
  for (const FeatureIndex f : wide_.columns) wide.emplace_back(input, borders, f);
  const std::size_t n_rows = input.rows.size();
  narrow_.own.resize(n_rows * narrow.size());
  wide_.own.resize(n_rows * wide.size());
  narrow_.codes = narrow_.own.data();
  wide_.codes = wide_.own.data();
  constexpr std::size_t kTilesATask = 16;
  const std::size_t n_tiles = (n_rows + kTile - 1) / kTile;
  team.run((n_tiles + kTilesATask - 1) / kTilesATask, [&](std::size_t task, std::size_t) {
    interrupt.check();
    for (std::size_t t = task * kTilesATask; t < std::min(n_tiles, (task + 1) * kTilesATask); ++t) {
      const std::size_t begin = t * kTile, n = std::min(kTile, n_rows - begin);
      code_tile(narrow, begin, n, narrow_);
      code_tile(wide, begin, n, wide_);
    }
  });
}

BinnedRows::BinnedRows(const BinBorders& borders, const std::uint8_t* narrow, const std::uint16_t* wide)
    : place_(borders.n_columns(), {false, 0}) {
  place(asked_columns({}, borders.n_columns()), borders);
  narrow_.codes = narrow;
  wide_.codes = wide;
}

void BinnedRows::place(std::span<const FeatureIndex> columns, const BinBorders& borders) {
  for (const FeatureIndex f : columns) {
    const bool is_wide = borders.n_bins[f] > 255;  // and one code for the missing
    auto& block = is_wide ? wide_.columns : narrow_.columns;
    place_[f] = {is_wide, block.size()};
    block.push_back(f);
  }
}

}  // namespace spinney
