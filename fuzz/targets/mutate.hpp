#pragma once
// Mutants of the arrays of some trees: most are whole arrays of numbers in the types that they need, so that they get
// past the first checks and meet the later ones.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "spinney/file/frame.hpp"

namespace spinney_fuzz {

/// A generator of its own (splitmix64): libFuzzer gives a seed for each mutant.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : next() % n; }

 private:
  std::uint64_t state_;
};

struct Array {
  std::vector<double> numbers;                   // whole numbers of 32 bits are doubles too
  std::optional<spinney::StoredType> type = {};  // none: the narrowest
};

/// The arrays of a frame; those that are touched are taken out of it.
class Arrays {
 public:
  explicit Arrays(const spinney::PartViews& parts) : parts_(&parts) {}

  bool has(std::size_t part) const {
    return touched_[part] ? !touched_[part]->numbers.empty() : (*parts_)[part].size > 0;
  }
  Array& touch(std::size_t part) {
    if (!touched_[part]) {
      touched_[part].emplace().numbers.resize((*parts_)[part].size);
      (*parts_)[part].copy(0, std::span(touched_[part]->numbers));
    }
    return *touched_[part];
  }
  std::vector<std::byte> frame() const;

 private:
  const spinney::PartViews* parts_;
  spinney::ByPart<std::optional<Array>> touched_;
};

inline double odd_number(Random& random) {
  constexpr double kOdd[] = {0.0,
                             -0.0,
                             1.0,
                             2.0,
                             3.0,
                             255.0,
                             256.0,
                             65535.0,
                             65536.,
                             1e300,
                             -1.0,
                             0.5,
                             2147483647.0,
                             2147483648.,
                             1e-310,
                             1.7e308,
                             4294967295.0,
                             -1e300,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  return kOdd[random.below(std::size(kOdd))];
}

inline void change_entry(std::vector<double>& numbers, Random& random) {
  const std::size_t at = random.below(numbers.size());
  switch (random.below(6)) {
    case 0: numbers[at] += 1.0; break;
    case 1: numbers[at] -= 1.0; break;
    case 2: numbers[at] = odd_number(random); break;
    case 3: numbers[at] = numbers[random.below(numbers.size())]; break;
    case 4: numbers[at] = static_cast<double>(random.below(13)); break;
    default: std::swap(numbers[at], numbers[random.below(numbers.size())]);
  }
}

inline void change(Arrays& arrays, Random& random) {
  const std::size_t any = random.below(spinney::kParts);
  std::size_t found = any;  // or the next that is there
  for (std::size_t i = 0; i < spinney::kParts && !arrays.has(found); ++i) found = (found + 1) % spinney::kParts;
  if (!arrays.has(found)) return;
  Array& array = arrays.touch(found);
  std::vector<double>& numbers = array.numbers;
  const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(random.below(numbers.size()));
  switch (random.below(10)) {
    case 0: numbers.insert(at, *at); break;
    case 1: numbers.erase(at); break;
    case 2: array.type = static_cast<spinney::StoredType>(random.below(spinney::kStoredTypes)); break;
    case 3: arrays.touch(any).numbers.assign(1 + random.below(numbers.size() + 1), odd_number(random)); break;
    case 4: arrays.touch(any).numbers = std::vector<double>(numbers); break;
    default: change_entry(numbers, random);
  }
}

inline spinney::Stored stored(const Array& array) {
  spinney::Range range;
  for (const double v : array.numbers) range.add_real(v);
  spinney::Stored out{array.type.value_or(range.type()), array.numbers.size(), {}};
  for (const double v : array.numbers) {
    spinney::with_type(out.type, [&](auto number) {
      using T = decltype(number);
      if constexpr (std::numeric_limits<T>::is_integer) {
        number = v >= 0.0 && v <= static_cast<double>(std::numeric_limits<T>::max()) ? static_cast<T>(v) : T{7};
      } else {
        number = static_cast<T>(v);
      }
      const auto* first = reinterpret_cast<const std::byte*>(&number);
      out.bytes.insert(out.bytes.end(), first, first + sizeof(T));
    });
  }
  return out;
}

inline std::vector<std::byte> Arrays::frame() const {
  spinney::StoredParts mutant{};
  for (std::size_t p = 0; p < spinney::kParts; ++p) {
    const spinney::StoredView& view = (*parts_)[p];
    if (touched_[p]) {
      mutant[p] = stored(*touched_[p]);
    } else if (view.size > 0) {
      mutant[p] = {view.type, view.size, {view.data, view.data + view.size * size_of(view.type)}};
    }
  }
  return spinney::to_frame(mutant);
}

/// The size of the mutant, in place of the original.
inline std::size_t mutate_frame(std::uint8_t* data, std::size_t size, std::size_t max_size, Random& random) {
  const auto parts = spinney::from_frame({reinterpret_cast<const std::byte*>(data) + 1, size - 1});
  if (!parts) return size;
  Arrays arrays(*parts);
  for (std::size_t n = 1 + random.below(3); n > 0; --n) change(arrays, random);
  const auto bytes = arrays.frame();
  if (bytes.size() + 1 > max_size) return size;
  if (random.below(8) == 0) data[0] = static_cast<std::uint8_t>(random.next());
  if (!bytes.empty()) std::memcpy(data + 1, bytes.data(), bytes.size());
  return bytes.size() + 1;
}

}  // namespace spinney_fuzz
