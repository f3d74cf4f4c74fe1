#pragma once
// Memory for large arrays that come and go: taken from the system and given back to it, so that what is kept between
// them cannot hold it. Or kept for the next of them: the system clears every page that it hands out, which takes about
// as long as dividing what is written there.

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define SPINNEY_HAS_PAGES 1
#endif

namespace spinney {

namespace detail {

inline constexpr std::size_t kLargeRoom = std::size_t{1} << 20;

inline void* take_room(std::size_t bytes) {
#ifdef SPINNEY_HAS_PAGES
  if (bytes >= kLargeRoom) {
    void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    return got;
  }
#endif
  return ::operator new(bytes);
}

inline void give_room_back(void* room, [[maybe_unused]] std::size_t bytes) {
#ifdef SPINNEY_HAS_PAGES
  if (bytes >= kLargeRoom) {
    munmap(room, bytes);
    return;
  }
#endif
  ::operator delete(room);
}

}  // namespace detail

/// Rooms of one size that are taken and given back by turns, by any thread: as many are kept as were ever in use at the
/// same time.
class PagePool {
 public:
  explicit PagePool(std::size_t bytes) : bytes_(bytes) {}
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;
  ~PagePool() {
    for (void* room : free_) detail::give_room_back(room, bytes_);
  }
  std::size_t bytes() const { return bytes_; }
  void* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.reserve(++n_rooms_);  // so that giving back cannot fail
      return detail::take_room(bytes_);
    }
    void* room = free_.back();
    free_.pop_back();
    return room;
  }
  void give_back(void* room) {
    const std::lock_guard lock(mutex_);
    free_.push_back(room);
  }

 private:
  std::size_t bytes_;
  std::mutex mutex_;
  std::vector<void*> free_;
  std::size_t n_rooms_ = 0;
};

/// Uninitialised room for n objects of a type without constructor.
template <class T>
class Pages {
 public:
  /// From a pool, whose rooms are large enough, or from the system.
  explicit Pages(std::size_t n, std::shared_ptr<PagePool> pool = nullptr)
      : bytes_(n * sizeof(T)), pool_(std::move(pool)) {
    data_ = static_cast<T*>(pool_ ? pool_->take() : detail::take_room(bytes_));
  }
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), pool_(std::move(other.pool_)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(pool_, other.pool_);
    return *this;
  }
  ~Pages() {
    if (data_ == nullptr) return;
    if (pool_) {
      pool_->give_back(data_);
    } else {
      detail::give_room_back(data_, bytes_);
    }
  }
  /// Asks for large pages, which are found faster where memory is read in no order; a system without them gives others.
  /// Nothing may have been written yet.
  void ask_for_large() {
#ifdef MADV_HUGEPAGE
    if (bytes_ >= detail::kLargeRoom) madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
  }
  T* get() { return data_; }
  const T* get() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t bytes_;
  std::shared_ptr<PagePool> pool_;
};

}  // namespace spinney
