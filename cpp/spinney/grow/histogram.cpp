#include "spinney/grow/histogram.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "spinney/prefetch.hpp"

namespace spinney {

HistogramLayout::HistogramLayout(const BinBorders& borders, std::span<const FeatureIndex> columns,
                                 std::size_t numbers_a_bin)
    : first(borders.n_columns() + 1, 0), width(numbers_a_bin) {
  for (const FeatureIndex f : columns) first[f + 1] = (borders.n_bins[f] + std::uint64_t{1}) * width;
  for (std::size_t f = 0; f < borders.n_columns(); ++f) first[f + 1] += first[f];
}

Histogram::Histogram(std::shared_ptr<const HistogramLayout> layout, std::vector<std::int64_t> numbers)
    : layout_(std::move(layout)), numbers_(std::move(numbers)) {
  if (numbers_.size() != layout_->size()) throw std::invalid_argument("an array that is no histogram of this layout");
}

void Histogram::require_same_layout(const Histogram& other) const {
  if (layout_ != other.layout_ && !(*layout_ == *other.layout_))
    throw std::invalid_argument("histograms of different layouts");
}

Histogram& Histogram::operator+=(const Histogram& other) {
  require_same_layout(other);
  for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] += other.numbers_[i];
  return *this;
}

Histogram& Histogram::operator-=(const Histogram& other) {
  require_same_layout(other);
  for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] -= other.numbers_[i];
  return *this;
}

namespace {

constexpr std::size_t kAhead = 16;  // rows whose codes are fetched before they are needed

/// Calls add.begin(row), then add(place) for every cell that the row is in; the place is that of the bin's first
/// number.
template <class Code, class Add>
void for_cells(const CodeBlock<Code>& block, const std::uint64_t* first, std::size_t width,
               std::span<const std::uint32_t> rows, const Add& add) {
  const std::size_t n_columns = block.columns.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size()) prefetch(block.of(rows[i + kAhead]));
    const Code* const codes = block.of(rows[i]);
    add.begin(rows[i]);
    for (std::size_t c = 0; c < n_columns; ++c) add(first[c] + codes[c] * width);
  }
}

/// Rows of classes, all of one weight.
struct AddClass {
  std::uint32_t* counts;
  const std::uint16_t* label;
  mutable std::uint32_t* at = nullptr;
  void begin(std::uint32_t row) const { at = counts + label[row]; }
  void operator()(std::uint64_t place) const { ++at[place]; }
};

struct AddWeightedClass {
  std::int64_t* numbers;
  const Terms& terms;
  mutable std::size_t c = 0;
  mutable std::int64_t w = 0;
  void begin(std::uint32_t row) const {
    c = 1 + static_cast<std::size_t>(terms.label[row]);
    w = terms.weight_of(row);
  }
  void operator()(std::uint64_t place) const {
    ++numbers[place];
    numbers[place + c] += w;
  }
};

/// Rows with moments of numbers; kMoments: how many, if that is known, 0 otherwise.
template <bool kWeighted, std::size_t kMoments>
struct AddMoments {
  std::int64_t* numbers;
  const Terms& terms;
  mutable std::int64_t w = 0;
  mutable const std::int64_t* moments = nullptr;
  mutable std::array<std::int64_t, kMoments> known{};
  void begin(std::uint32_t row) const {
    if constexpr (kWeighted) w = terms.weight_of(row);
    moments = terms.moments + row * n_moments();
    std::copy_n(moments, kMoments, known.data());
  }
  void operator()(std::uint64_t place) const {
    std::int64_t* to = numbers + place;
    ++*to++;
    if constexpr (kWeighted) *to++ += w;
    for (std::size_t m = 0; m < n_moments(); ++m) to[m] += kMoments > 0 ? known[m] : moments[m];
  }
  std::size_t n_moments() const { return kMoments > 0 ? kMoments : terms.n_moments; }
};

}  // namespace

template <class Code>
void Accumulator::add_block(const CodeBlock<Code>& block, const Terms& terms, std::span<const std::uint32_t> rows,
                            Histogram& histogram) {
  if (block.columns.empty() || rows.empty()) return;
  const std::size_t width = histogram.layout().width;
  first_.clear();
  for (const FeatureIndex f : block.columns) first_.push_back(histogram.layout().first[f]);
  std::int64_t* const numbers = histogram.numbers().data();
  const auto run = [&](const auto& add) { for_cells(block, first_.data(), width, rows, add); };
  if (!terms.label) {
    const bool one = terms.n_moments == 1;
    if (terms.weight) return one ? run(AddMoments<true, 1>{numbers, terms}) : run(AddMoments<true, 0>{numbers, terms});
    return one ? run(AddMoments<false, 1>{numbers, terms}) : run(AddMoments<false, 0>{numbers, terms});
  }
  if (terms.weight) return run(AddWeightedClass{numbers, terms});
  counts_.assign(histogram.numbers().size(), 0);
  const AddClass add{counts_.data(), terms.label};
  if (width == 2) {
    for_cells(block, first_.data(), 2, rows, add);
  } else {
    run(add);
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) numbers[i] += counts_[i];
}

void Accumulator::add(const BinnedRows& bins, const Terms& terms, std::span<const std::uint32_t> rows,
                      Histogram& histogram) {
  add_block(bins.narrow(), terms, rows, histogram);
  add_block(bins.wide(), terms, rows, histogram);
}

}  // namespace spinney
