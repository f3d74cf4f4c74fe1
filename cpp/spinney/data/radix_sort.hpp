#pragma once
// A stable sort by keys that are integers of 64 bits, a digit at a time.

#include <algorithm>
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

/// Sorts n items by key(item), with spare memory for as many.
template <class Item, class Key>
void radix_sort(Item* items, Item* spare, std::size_t n, const Key& key, Interrupt& interrupt);

namespace detail {

inline constexpr int kDigits = 3;  // that are sorted by at a time

/// Sorts by the digits of kBits bits from bit `low` on, the lowest first; one that is equal in all keys costs no pass.
template <int kBits, class Item, class Key>
void sort_by_digits(Item* items, Item* spare, std::size_t n, int low, const Key& key, Interrupt& interrupt) {
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  const auto digit = [&](const Item& item, int d) { return key(item) >> (low + d * kBits) & (kBuckets - 1); };
  std::array<std::array<std::uint32_t, kBuckets>, kDigits> counts{};
  for (std::size_t i = 0; i < n; ++i) {
    for (int d = 0; d < kDigits; ++d) ++counts[d][digit(items[i], d)];
  }
  Item *from = items, *to = spare;
  for (int d = 0; d < kDigits; ++d) {
    auto& count = counts[d];
    if (count[digit(from[0], d)] == n) continue;
    interrupt.check();
    std::uint32_t start = 0;
    for (std::uint32_t& bucket : count) start += std::exchange(bucket, start);
    for (std::size_t i = 0; i < n; ++i) to[count[digit(from[i], d)]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + n, items);
}

template <class Item, class Key>
void insertion_sort(Item* items, std::size_t n, const Key& key) {
  for (std::size_t i = 1; i < n; ++i) {
    const Item item = items[i];
    std::size_t at = i;
    for (; at > 0 && key(item) < key(items[at - 1]); --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

/// Sorts by the first digits in which keys differ, then the few items that are equal in those: half their bits tell
/// most numbers apart.
template <int kBits, class Item, class Key>
void sort_by_first_digits(Item* items, Item* spare, std::size_t n, const Key& key, Interrupt& interrupt) {
  constexpr std::size_t kFew = 24;  // items that are sorted by comparing them
  std::uint64_t differ = 0;
  for (std::size_t i = 1; i < n; ++i) differ |= key(items[i]) ^ key(items[0]);
  const int low = std::max(0, static_cast<int>(std::bit_width(differ)) - kDigits * kBits);
  sort_by_digits<kBits>(items, spare, n, low, key, interrupt);
  if ((differ & ((std::uint64_t{1} << low) - 1)) == 0) return;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    for (end = begin + 1; end < n && key(items[end]) >> low == key(items[begin]) >> low;) ++end;
    if (end - begin > kFew) {
      radix_sort(items + begin, spare, end - begin, key, interrupt);
    } else {
      insertion_sort(items + begin, end - begin, key);
    }
  }
}

}  // namespace detail

template <class Item, class Key>
void radix_sort(Item* items, Item* spare, std::size_t n, const Key& key, Interrupt& interrupt) {
  constexpr std::size_t kSmall = 4096;  // items that larger tables of counts are not worth
  if (n < 2) return;
  if (n < kSmall) return detail::sort_by_first_digits<8>(items, spare, n, key, interrupt);
  detail::sort_by_first_digits<11>(items, spare, n, key, interrupt);
}

/// The same with spare memory that grows as it is needed.
template <class Item, class Key>
void radix_sort(std::vector<Item>& items, std::vector<Item>& spare, const Key& key, Interrupt& interrupt) {
  if (spare.size() < items.size()) spare.resize(items.size());
  radix_sort(items.data(), spare.data(), items.size(), key, interrupt);
}

}  // namespace spinney
