#pragma once
// The stored arrays, read entry by entry: what is not there is refused.

#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "spinney/file/parts.hpp"

namespace spinney {

[[noreturn]] inline void refuse(const std::string& what) { throw std::invalid_argument(what); }
inline std::string name_of(Part part) { return std::string("'").append(kPartNames[place_of(part)]).append("'"); }

using Places = ByPart<std::size_t>;

/// The parts, each read from some place on.
class Source {
 public:
  Source(const PartViews& parts, const Places& begin) : parts_(&parts), at_(begin) {}

  StoredType type(Part part) const { return (*parts_)[place_of(part)].type; }
  bool has(Part part) const { return (*parts_)[place_of(part)].size > 0; }
  void need(Part part, std::size_t n) const {
    const std::size_t size = (*parts_)[place_of(part)].size, at = at_[place_of(part)];
    if (at > size || n > size - at) refuse(name_of(part) + " has too few entries");
  }
  /// The sum of the next entries, which are not taken.
  std::size_t sum(Part part, std::size_t n) const {
    need(part, n);
    std::size_t total = 0;
    for (std::size_t i = at_[place_of(part)]; n > 0; ++i, --n) total += (*parts_)[place_of(part)].at<std::uint32_t>(i);
    return total;
  }
  std::uint32_t whole(Part part) {
    need(part, 1);
    return (*parts_)[place_of(part)].at<std::uint32_t>(at_[place_of(part)]++);
  }
  std::int32_t small(Part part) {
    const std::uint32_t n = whole(part);
    if (n > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
      refuse(name_of(part) + " has an entry out of range");
    return static_cast<std::int32_t>(n);
  }
  double real(Part part) {
    need(part, 1);
    return (*parts_)[place_of(part)].at<double>(at_[place_of(part)]++);
  }
  template <class T>
  void fill(Part part, std::vector<T>& out, std::size_t n) {
    need(part, n);
    out.resize(n);
    (*parts_)[place_of(part)].copy(at_[place_of(part)], std::span<T>(out));
    at_[place_of(part)] += n;
  }
  void finish() const {
    for (std::size_t p = 0; p < kParts; ++p) {
      if (at_[p] != (*parts_)[p].size) refuse(name_of(static_cast<Part>(p)) + " has too many entries");
    }
  }

 private:
  const PartViews* parts_;
  Places at_;
};

}  // namespace spinney
