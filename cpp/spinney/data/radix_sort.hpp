#pragma once
// A stable sort by whole-number keys, the lowest digit first.

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "spinney/interrupt.hpp"

namespace spinney {

/// Doubles as unsigned integers of the same order; both zeros are one.
inline std::uint64_t sortable(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits ^ (bits >> 63 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}

/// The double that such an integer stands for.
inline double unsortable(std::uint64_t key) {
  return std::bit_cast<double>(key ^ (key >> 63 ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

/// A digit has kBits bits; one that is equal in all keys costs no pass.
template <int kBits, class Item, class Key>
void radix_sort_by_digits(std::vector<Item>& items, std::vector<Item>& spare, const Key& key, Interrupt& interrupt) {
  constexpr int kPasses = (64 + kBits - 1) / kBits;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  constexpr std::uint64_t kMask = kBuckets - 1;
  std::vector<std::array<std::uint32_t, kBuckets>> counts(kPasses);
  for (auto& count : counts) count.fill(0);
  for (const Item& item : items) {
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][key(item) >> (pass * kBits) & kMask];
  }
  spare.resize(items.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    if (count[key(items[0]) >> (pass * kBits) & kMask] == items.size()) continue;
    interrupt.check();
    std::uint32_t start = 0;
    for (std::uint32_t& bucket : count) start += std::exchange(bucket, start);
    for (const Item& item : items) spare[count[key(item) >> (pass * kBits) & kMask]++] = item;
    items.swap(spare);
  }
}

/// Sorts items by key(item), with spare memory for as many.
template <class Item, class Key>
void radix_sort(std::vector<Item>& items, std::vector<Item>& spare, const Key& key, Interrupt& interrupt) {
  constexpr std::size_t kFew = 4096;  // items that larger tables of counts are not worth
  if (items.size() < 2) return;
  if (items.size() < kFew) return radix_sort_by_digits<8>(items, spare, key, interrupt);
  radix_sort_by_digits<11>(items, spare, key, interrupt);
}

}  // namespace spinney
