#pragma once
// A few numbers of a node: class weights, or one answer. Up to two of them need no memory of their own, so that nodes
// of two classes, and of numbers, are made without asking for any.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace spinney {

class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(std::size_t n, double value = 0.0) {
    resize(n);
    std::fill(begin(), end(), value);
  }
  template <class Iterator>
  Numbers(Iterator first, Iterator last) {
    assign(first, last);
  }
  Numbers(std::initializer_list<double> numbers) : Numbers(numbers.begin(), numbers.end()) {}
  Numbers(const std::vector<double>& numbers) : Numbers(numbers.begin(), numbers.end()) {}
  Numbers(const Numbers& other) { *this = other; }
  Numbers(Numbers&& other) noexcept { swap(other); }
  Numbers& operator=(const Numbers& other) {
    if (is_far() || other.is_far()) {
      if (this != &other) assign(other.begin(), other.end());
    } else {
      copy_near(other);
    }
    return *this;
  }
  Numbers& operator=(Numbers&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Numbers() {
    if (is_far()) delete[] far_;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double* data() { return is_far() ? far_ : near_; }
  const double* data() const { return is_far() ? far_ : near_; }
  double* begin() { return data(); }
  double* end() { return data() + size_; }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size_; }
  double& operator[](std::size_t i) { return data()[i]; }
  const double& operator[](std::size_t i) const { return data()[i]; }

  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    size_ = 0;
    resize(static_cast<std::size_t>(last - first));
    std::copy(first, last, data());
  }
  void push_back(double number) {
    resize(size_ + std::size_t{1});
    data()[size_ - 1] = number;
  }
  void clear() { size_ = 0; }
  friend bool operator==(const Numbers& a, const Numbers& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::uint32_t kNear = 2;

  bool is_far() const { return capacity_ > kNear; }
  /// New numbers are left as they are.
  void resize(std::size_t n) {
    if (n > capacity_) {
      const std::size_t capacity = std::max<std::size_t>(n, 2 * std::size_t{capacity_});
      double* const larger = new double[capacity];
      std::copy(begin(), end(), larger);
      if (is_far()) delete[] far_;
      far_ = larger;
      capacity_ = static_cast<std::uint32_t>(capacity);
    }
    size_ = static_cast<std::uint32_t>(n);
  }
  void copy_near(const Numbers& other) {
    size_ = other.size_;
    near_[0] = other.near_[0];
    near_[1] = other.near_[1];
  }
  void swap(Numbers& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(near_[0], other.near_[0]);  // or the pointers, which lie there
    std::swap(near_[1], other.near_[1]);
  }

  std::uint32_t size_ = 0, capacity_ = kNear;
  union {
    double near_[kNear] = {0.0, 0.0};
    double* far_;
  };
};

}  // namespace spinney
