#pragma once
// Numbers in as few bytes as hold all of them without loss.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "spinney/types.hpp"

namespace spinney {

/// Whether a type holds a number to the last bit.
template <class T>
constexpr bool holds(std::int32_t number) {
  return std::in_range<T>(number);
}
template <class T>
bool holds(double number) {
  if constexpr (std::same_as<T, double>) return true;
  if (!(number >= -std::numeric_limits<T>::max() && number <= std::numeric_limits<T>::max())) return false;
  if constexpr (std::unsigned_integral<T>) {
    if (number < 0.0) return false;
  }
  return same_bits(static_cast<double>(static_cast<T>(number)), number);
}

/// Numbers of the first of some types that holds them all.
template <class Number, class... Types>
class Narrow {
 public:
  Narrow() = default;
  explicit Narrow(std::vector<std::uint8_t> numbers) : kept_(std::move(numbers)) {}
  explicit Narrow(std::span<const Number> numbers) {
    reserve(numbers.size());
    for (const Number number : numbers) push_back(number);
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
  Number operator[](std::size_t i) const {
    return visit([i](const auto& kept) { return static_cast<Number>(kept[i]); });
  }
  std::vector<Number> wide() const {
    return visit([](const auto& kept) { return std::vector<Number>(kept.begin(), kept.end()); });
  }
  bool operator==(const Narrow& other) const { return wide() == other.wide(); }

  /// So many zeros.
  void assign_zeros(std::size_t n) { kept_ = std::vector<std::uint8_t>(n, 0); }
  void reserve(std::size_t n) {
    std::visit([n](auto& kept) { kept.reserve(n); }, kept_);
  }
  void set(std::size_t i, Number number) {
    keep(number, [=](auto& kept, auto fitting) { kept[i] = fitting; });
  }
  void push_back(Number number) {
    keep(number, [](auto& kept, auto fitting) { kept.push_back(fitting); });
  }
  void pop_back() {
    std::visit([](auto& kept) { kept.pop_back(); }, kept_);
  }

 private:
  using Kept = std::variant<std::vector<Types>...>;

  /// Puts a number where `put` does, in the next wider type as long as it does not fit.
  template <class Put>
  void keep(Number number, const Put& put) {
    const auto fits = [&](auto& kept) {
      using Type = typename std::remove_cvref_t<decltype(kept)>::value_type;
      if (!holds<Type>(number)) return false;
      put(kept, static_cast<Type>(number));
      return true;
    };
    while (!std::visit(fits, kept_)) widen(std::make_index_sequence<sizeof...(Types) - 1>());
  }
  template <std::size_t... I>
  void widen(std::index_sequence<I...>) {
    const std::size_t now = kept_.index();
    ((I == now ? to<I + 1>() : void()), ...);
  }
  template <std::size_t I>
  void to() {
    std::variant_alternative_t<I, Kept> wider;
    std::visit(
        [&](const auto& kept) {
          wider.reserve(kept.capacity());
          for (const auto number : kept)
            wider.push_back(static_cast<typename decltype(wider)::value_type>(static_cast<Number>(number)));
        },
        kept_);
    kept_ = std::move(wider);
  }

  Kept kept_;
};

/// Numbers below 0 can be kept, so that who checks them can find them.
using NarrowNumbers = Narrow<std::int32_t, std::uint8_t, std::uint16_t, std::int32_t>;
using NarrowReals = Narrow<double, std::uint8_t, std::uint16_t, float, double>;

/// Whether single precision loses nothing of a number that is one.
inline bool is_single(double number) { return static_cast<double>(static_cast<float>(number)) == number; }

/// Numbers that are read often: in single precision if that loses nothing of any, otherwise in double.
class PackedReals {
 public:
  PackedReals() = default;
  explicit PackedReals(std::vector<float> numbers) : single_(std::move(numbers)) {}
  explicit PackedReals(const std::vector<double>& numbers) {
    if (!narrow(numbers)) double_ = numbers;
  }
  explicit PackedReals(std::vector<double>&& numbers) {
    if (!narrow(numbers)) double_ = std::move(numbers);
  }

  std::size_t size() const { return single_.size() + double_.size(); }
  bool empty() const { return size() == 0; }
  double operator[](std::size_t i) const { return double_.empty() ? static_cast<double>(single_[i]) : double_[i]; }
  /// What `use` makes of them as a vector of the type that they have.
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return double_.empty() ? use(single_) : use(double_);
  }
  std::vector<double> wide() const {
    return visit([](const auto& numbers) { return std::vector<double>(numbers.begin(), numbers.end()); });
  }

 private:
  bool narrow(const std::vector<double>& numbers) {
    if (!std::all_of(numbers.begin(), numbers.end(), is_single)) return false;
    single_.assign(numbers.begin(), numbers.end());
    return true;
  }

  std::vector<float> single_;
  std::vector<double> double_;
};

}  // namespace spinney
