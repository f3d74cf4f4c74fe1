#pragma once
// Lists of many entries, kept behind each other in one array: where each lies.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace spinney {

/// Most trees have no lists at all: as long as all are empty, nothing is kept but their number.
class Lists {
 public:
  Lists() = default;
  /// So many empty lists.
  explicit Lists(std::size_t n) : size_(n) {}
  /// From one offset more than lists. Nothing if they are not those of lists that make up a whole array.
  static std::optional<Lists> from(std::span<const std::int64_t> offsets, std::size_t array_size) {
    if (offsets.empty() || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end())) return {};
    if (offsets.back() != static_cast<std::int64_t>(array_size)) return {};
    Lists lists;
    lists.expect(offsets.size() - 1);
    for (const std::int64_t end : offsets.subspan(1)) lists.close(static_cast<std::size_t>(end));
    return lists;
  }

  std::size_t size() const { return size_; }
  std::int64_t begin(std::size_t i) const { return offsets_.empty() ? 0 : offsets_[i]; }
  std::int64_t end(std::size_t i) const { return offsets_.empty() ? 0 : offsets_[i + 1]; }
  std::int64_t length(std::size_t i) const { return end(i) - begin(i); }
  bool operator==(const Lists& other) const { return size_ == other.size_ && offsets_ == other.offsets_; }

  /// So many lists will come: should one of them hold something, room is taken once.
  void expect(std::size_t n) { expected_ = n; }
  /// The next list ends where the array does now.
  void close(std::size_t array_size) {
    if (array_size > kMostListed)
      throw std::invalid_argument("the lists of a tree have more than 4,294,967,295 entries");
    if (offsets_.empty() && array_size > 0) {
      offsets_.reserve(std::max(expected_, size_ + 1) + 1);
      offsets_.assign(size_ + 1, 0);
    }
    ++size_;
    if (!offsets_.empty()) offsets_.push_back(static_cast<std::uint32_t>(array_size));
  }

  /// Whether these are so many lists that make up the whole array.
  bool cover(std::size_t n, std::size_t array_size) const {
    return size_ == n && (offsets_.empty() ? array_size == 0 : offsets_.back() == array_size);
  }
  /// One offset more than lists.
  std::vector<std::int64_t> offsets() const {
    if (offsets_.empty()) return std::vector<std::int64_t>(size_ + 1, 0);
    return {offsets_.begin(), offsets_.end()};
  }

 private:
  static constexpr std::size_t kMostListed = std::numeric_limits<std::uint32_t>::max();

  std::size_t size_ = 0, expected_ = 0;
  std::vector<std::uint32_t> offsets_;  // empty, or size_ + 1
};

}  // namespace spinney
