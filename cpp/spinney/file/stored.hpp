#pragma once
// Numbers as a file keeps them: in the narrowest type that loses nothing, so that the same numbers are always the
// same bytes.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "spinney/tree/narrow.hpp"

namespace spinney {

static_assert(std::endian::native == std::endian::little, "model files are little-endian, and are read as they are");

enum class StoredType : std::uint8_t { u8, u16, u32, f32, f64 };
inline constexpr std::size_t kStoredTypes = 5;

constexpr std::size_t size_of(StoredType type) {
  constexpr std::size_t kSizes[kStoredTypes] = {1, 2, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}
constexpr bool is_real(StoredType type) { return type >= StoredType::f32; }

/// Calls run(T{}) with the C++ type.
template <class Run>
auto with_type(StoredType type, Run&& run) {
  switch (type) {
    case StoredType::u8: return run(std::uint8_t{});
    case StoredType::u16: return run(std::uint16_t{});
    case StoredType::u32: return run(std::uint32_t{});
    case StoredType::f32: return run(float{});
    default: return run(double{});
  }
}

/// Borrowed numbers of some type, aligned or not.
struct StoredView {
  StoredType type = StoredType::u8;
  const std::byte* data = nullptr;
  std::size_t size = 0;

  template <class T>
  T at(std::size_t i) const {
    return with_type(type, [&](auto example) {
      std::memcpy(&example, data + i * sizeof(example), sizeof(example));
      return static_cast<T>(example);
    });
  }
  template <class T>
  void copy(std::size_t begin, std::span<T> out) const {
    with_type(type, [&](auto example) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        std::memcpy(&example, data + (begin + i) * sizeof(example), sizeof(example));
        out[i] = static_cast<T>(example);
      }
    });
  }
};

/// Owned numbers.
struct Stored {
  StoredType type = StoredType::u8;
  std::size_t size = 0;
  std::vector<std::byte> bytes;
  StoredView view() const { return {type, bytes.data(), size}; }
};

inline constexpr double kMostWhole = 4294967295.0;
inline bool is_small_whole(double v) {
  return v >= 0.0 && v <= kMostWhole && v == static_cast<double>(static_cast<std::int64_t>(v)) && !std::signbit(v);
}

/// What some numbers need. NaN is never stored, nor is a whole number of more than 32 bits.
struct Range {
  std::size_t size = 0;
  std::uint64_t most = 0;
  bool whole = true, single = true;

  void add_whole(std::uint64_t v) {
    ++size;
    most = v > most ? v : most;
  }
  void add_real(double v) {
    ++size;
    if (whole && is_small_whole(v)) {
      const auto n = static_cast<std::uint64_t>(v);
      most = n > most ? n : most;
    } else {
      whole = false;
    }
    single = single && is_single(v);
  }
  template <class T>
  void add_reals(std::span<const T> values) {
    std::size_t i = 0;
    for (; i < values.size() && whole; ++i) add_real(values[i]);
    size += values.size() - i;
    if constexpr (!std::is_same_v<T, float>) {
      for (; i < values.size() && single; ++i) single = is_single(values[i]);
    }
  }
  template <class T>
  void add_wholes(std::span<const T> values) {
    std::uint64_t top = most;
    for (const T v : values) top = std::max(top, static_cast<std::uint64_t>(v));
    most = top;
    size += values.size();
  }
  void join(const Range& other) {
    size += other.size;
    most = other.most > most ? other.most : most;
    whole = whole && other.whole;
    single = single && other.single;
  }
  StoredType type() const {
    if (!whole) return single ? StoredType::f32 : StoredType::f64;
    if (most <= 0xff) return StoredType::u8;
    if (most <= 0xffff) return StoredType::u16;
    return StoredType::u32;
  }
};

/// Whether the numbers would not fit into a narrower type. It looks no further than it must.
bool is_narrowest(const StoredView& view);

}  // namespace spinney
