#include <algorithm>

#include "spinney/file/codec.hpp"

namespace spinney {

namespace {

/// Two classes, without a branch: the loop is as wide as the machine. The same operations as above, in their order.
template <class T>
void two_classes(const T* values, const double* weight, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double a = values[2 * i], b = values[2 * i + 1];
    const double total = weight ? weight[i] : a + b;
    const double impurity = std::max(0.0, (total - (a * a + b * b) / total) / total);
    out[i] = a > 0.0 && b > 0.0 ? impurity : 0.0;
  }
}

template <class T>
void any_classes(const T* values, const double* weight, std::size_t k, std::span<double> out) {
  std::vector<double> own(k);
  for (std::size_t i = 0; i < out.size(); ++i) {
    double total = 0.0;
    for (std::size_t c = 0; c < k; ++c) total += own[c] = values[i * k + c];
    out[i] = told_gini(own.data(), weight ? weight[i] : total, k);
  }
}

}  // namespace

void told_ginis(const PackedArrays& arrays, std::size_t k, std::size_t begin, std::span<double> out) {
  const double* weight = arrays.weight.empty() ? nullptr : arrays.weight.data() + begin;
  const auto run = [&](const auto* values) {
    if (k == 2) return two_classes(values + begin * k, weight, out);
    any_classes(values + begin * k, weight, k, out);
  };
  if (arrays.value.empty()) {
    run(arrays.small_value.data());
  } else {
    run(arrays.value.data());
  }
}

bool tells_ginis(const PackedArrays& arrays, std::size_t k) {
  constexpr std::size_t kBlock = 256;
  double told[kBlock];
  const std::size_t n = arrays.impurity.size();
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t size = std::min(kBlock, n - begin);
    told_ginis(arrays, k, begin, {told, size});
    if (std::memcmp(told, arrays.impurity.data() + begin, size * sizeof(double)) != 0) return false;
  }
  return true;
}

}  // namespace spinney
