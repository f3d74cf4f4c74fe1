#pragma once
// Numbers that begin at a cache line: loops over them take and put whole vectors, none of which lies in two lines.

#include <cstddef>
#include <new>
#include <vector>

namespace spinney {

inline constexpr std::size_t kLine = 64;  // bytes

template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{kLine})); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t{kLine}); }
  bool operator==(const LineAllocator&) const = default;
};

using Lines = std::vector<double, LineAllocator<double>>;

/// So many numbers, and those that fill the last line.
constexpr std::size_t whole_lines(std::size_t n) {
  constexpr std::size_t kNumbers = kLine / sizeof(double);
  return (n + kNumbers - 1) / kNumbers * kNumbers;
}

}  // namespace spinney
