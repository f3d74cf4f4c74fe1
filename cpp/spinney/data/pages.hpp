#pragma once
// Memory for large arrays that come and go: taken from the system and given back to it, so that what is kept between
// them cannot hold it.

#include <cstddef>
#include <new>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define SPINNEY_HAS_PAGES 1
#endif

namespace spinney {

/// Uninitialised room for n objects of a type without constructor.
template <class T>
class Pages {
 public:
  explicit Pages(std::size_t n) : bytes_(n * sizeof(T)) {
#ifdef SPINNEY_HAS_PAGES
    if (bytes_ >= kLarge) {
      void* got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (got == MAP_FAILED) throw std::bad_alloc();
      data_ = static_cast<T*>(got);
      return;
    }
#endif
    data_ = static_cast<T*>(::operator new(bytes_));
  }
  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Pages() {
    if (data_ == nullptr) return;
#ifdef SPINNEY_HAS_PAGES
    if (bytes_ >= kLarge) {
      munmap(data_, bytes_);
      return;
    }
#endif
    ::operator delete(data_);
  }
  T* get() { return data_; }
  const T* get() const { return data_; }

 private:
  static constexpr std::size_t kLarge = std::size_t{1} << 20;
  T* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace spinney
