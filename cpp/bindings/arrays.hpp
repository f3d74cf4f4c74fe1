#pragma once
// Arrays across the border: borrowed views coming in, owned copies going out. Nothing is converted silently.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <vector>

#include "spinney/data/matrix.hpp"

namespace spinney::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

inline Matrix view(const Table& table) {
  return {table.data(), table.stride(0), table.stride(1), table.shape(0), table.shape(1)};
}

template <class T>
std::span<const T> view(const Vector<T>& vector) {
  return {vector.data(), vector.shape(0)};
}

template <class T>
std::vector<T> copy(const Vector<T>& vector) {
  return {vector.data(), vector.data() + vector.shape(0)};
}

/// A NumPy array that owns what the vector held.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

}  // namespace spinney::bindings
