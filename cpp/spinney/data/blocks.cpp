#include "spinney/data/blocks.hpp"

namespace spinney {

BlockCodes::BlockCodes(const SortedColumns& sorted)
    : n_columns(sorted.n_columns()),
      n_samples(sorted.capacity()),
      size((n_samples + kBlocks - 1) / kBlocks),
      code(n_columns * n_samples) {
  for (std::size_t f = 0; f < n_columns; ++f) {
    const Entry* column = sorted.column(f);
    for (std::size_t i = 0; i < n_samples; ++i)
      code[column[i].sample() * n_columns + f] = static_cast<std::uint8_t>(i / size);
  }
}

BlockSums::BlockSums(const BlockCodes& codes, const Samples& samples)
    : size(codes.size),
      weight(codes.n_columns * BlockCodes::kBlocks, 0.0),
      ones(codes.n_columns * BlockCodes::kBlocks, 0.0) {
  const std::size_t k = codes.n_columns;
  const std::vector<double>& by_sample = samples.search_weight().values;
  for (SampleIndex s = 0; s < samples.size(); ++s) {
    const double w = by_sample[s];
    const std::uint8_t* code = codes.code.data() + s * k;
    double* sums = samples.is_one[s] ? ones.data() : weight.data();
    for (std::size_t f = 0; f < k; ++f) sums[f * BlockCodes::kBlocks + code[f]] += w;
  }
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += ones[i];
}

}  // namespace spinney
