#include "spinney/data/blocks.hpp"

#include <algorithm>

namespace spinney {

BlockCodes::BlockCodes(const SortedColumns& sorted)
    : n_columns(sorted.n_columns()),
      n_samples(sorted.capacity()),
      size((n_samples + kBlocks - 1) / kBlocks),
      code(n_columns * n_samples) {
  for (std::size_t f = 0; f < n_columns; ++f) {
    const Entry* column = sorted.column(f);
    std::uint8_t* const of_sample = code.data() + f * n_samples;
    for (std::size_t i = 0; i < n_samples; ++i) of_sample[column[i].sample()] = static_cast<std::uint8_t>(i / size);
  }
}

namespace {

constexpr std::size_t kTogether = 4;  // columns: their sums stay in the nearest cache

/// Adds the samples of a range, all of one class, to the blocks of some columns.
template <std::size_t kColumns>
void add_range(const std::uint8_t* code, std::size_t n_samples, const double* weight, std::size_t begin,
               std::size_t end, double* sums) {
  for (std::size_t s = begin; s < end; ++s) {
    const double w = weight[s];
    for (std::size_t f = 0; f < kColumns; ++f) sums[f * BlockCodes::kBlocks + code[f * n_samples + s]] += w;
  }
}

/// Samples stand in the order of their classes.
template <std::size_t kColumns>
void add_columns(const BlockCodes& codes, const Samples& samples, std::size_t first, double* zeros, double* ones) {
  const std::vector<std::uint8_t>& is_one = samples.is_one;
  const double* const weight = samples.search_weight().values.data();
  const std::uint8_t* const code = codes.code.data() + first * codes.n_samples;
  const auto first_one = static_cast<std::size_t>(std::ranges::lower_bound(is_one, 1) - is_one.begin());
  const std::size_t at = first * BlockCodes::kBlocks;
  add_range<kColumns>(code, codes.n_samples, weight, 0, first_one, zeros + at);
  add_range<kColumns>(code, codes.n_samples, weight, first_one, codes.n_samples, ones + at);
}

}  // namespace

BlockSums::BlockSums(const BlockCodes& codes, const Samples& samples)
    : size(codes.size), weight(codes.n_columns * BlockCodes::kBlocks, 0.0), ones(weight.size(), 0.0) {
  std::size_t f = 0;
  for (; f + kTogether <= codes.n_columns; f += kTogether)
    add_columns<kTogether>(codes, samples, f, weight.data(), ones.data());
  for (; f < codes.n_columns; ++f) add_columns<1>(codes, samples, f, weight.data(), ones.data());
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += ones[i];
}

}  // namespace spinney
