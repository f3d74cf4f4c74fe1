#pragma once
// Whole numbers in as few bytes as the largest of them needs.

#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace spinney {

/// Numbers below 0 can be kept, in four bytes, so that who checks them can find them.
class NarrowNumbers {
 public:
  NarrowNumbers() = default;
  explicit NarrowNumbers(std::vector<std::uint8_t> numbers) : kept_(std::move(numbers)) {}
  explicit NarrowNumbers(std::span<const std::int32_t> numbers) {
    reserve(numbers.size());
    for (const std::int32_t number : numbers) push_back(number);
  }

  /// What `use` makes of them as a vector of the type that they have.
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return std::visit(use, kept_);
  }

  std::size_t size() const {
    return visit([](const auto& kept) { return kept.size(); });
  }
  bool empty() const { return size() == 0; }
  std::int32_t operator[](std::size_t i) const {
    return visit([i](const auto& kept) { return static_cast<std::int32_t>(kept[i]); });
  }
  std::vector<std::int32_t> wide() const {
    return visit([](const auto& kept) { return std::vector<std::int32_t>(kept.begin(), kept.end()); });
  }
  bool operator==(const NarrowNumbers&) const = default;

  /// So many zeros.
  void assign_zeros(std::size_t n) { kept_ = std::vector<std::uint8_t>(n, 0); }
  void set(std::size_t i, std::int32_t number) {
    const std::uint32_t fitting = make_fit(number);
    std::visit([=](auto& kept) { kept[i] = static_cast<typename Kept<decltype(kept)>::value_type>(fitting); }, kept_);
  }
  void reserve(std::size_t n) {
    std::visit([n](auto& kept) { kept.reserve(n); }, kept_);
  }
  void push_back(std::int32_t number) {
    const std::uint32_t fitting = make_fit(number);
    std::visit([=](auto& kept) { kept.push_back(static_cast<typename Kept<decltype(kept)>::value_type>(fitting)); },
               kept_);
  }

 private:
  template <class T>
  static constexpr std::uint32_t kLimit = std::numeric_limits<T>::max();
  template <class Reference>
  using Kept = std::remove_cvref_t<Reference>;

  std::uint32_t limit() const {
    return visit([](const auto& kept) { return kLimit<typename Kept<decltype(kept)>::value_type>; });
  }
  /// Takes a wider type if the number needs one.
  std::uint32_t make_fit(std::int32_t number) {
    const auto needed = static_cast<std::uint32_t>(number);
    if (needed > limit()) needed > kLimit<std::uint16_t> ? widen<std::uint32_t>() : widen<std::uint16_t>();
    return needed;
  }
  template <class T>
  void widen() {
    kept_ = visit([](const auto& kept) {
      std::vector<T> wider;
      wider.reserve(kept.capacity());
      wider.assign(kept.begin(), kept.end());
      return wider;
    });
  }

  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>> kept_;
};

}  // namespace spinney
