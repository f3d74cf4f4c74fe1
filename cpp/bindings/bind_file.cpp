// The arrays that trees and forests are stored in, and back.

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_tree.hpp"
#include "hosted.hpp"
#include "spinney/file/codec.hpp"

namespace spinney::bindings {

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

StoredType type_of(const AnyArray& array, const std::string& name) {
  if (array.dtype() == nb::dtype<std::uint8_t>()) return StoredType::u8;
  if (array.dtype() == nb::dtype<std::uint16_t>()) return StoredType::u16;
  if (array.dtype() == nb::dtype<std::uint32_t>()) return StoredType::u32;
  if (array.dtype() == nb::dtype<float>()) return StoredType::f32;
  if (array.dtype() == nb::dtype<double>()) return StoredType::f64;
  throw std::invalid_argument("'" + name + "' is of a type that trees are not stored in");
}

/// Views of the arrays of a dict, and what keeps them alive.
struct GivenParts {
  PartViews views{};
  std::vector<AnyArray> arrays;

  explicit GivenParts(const nb::dict& given) {
    std::size_t next = 0;  // part that may come
    for (const auto& [key, value] : given) {
      std::string name;
      if (!nb::try_cast(key, name)) throw std::invalid_argument("the arrays of trees have names");
      const auto part = part_of(name);
      if (!part) throw std::invalid_argument("there is no array '" + name + "' of trees");
      if (place_of(*part) < next) throw std::invalid_argument("'" + name + "' is not in its place");
      next = place_of(*part) + 1;
      AnyArray array;
      if (!nb::try_cast(value, array, false)) throw std::invalid_argument("'" + name + "' is no array of numbers");
      if (array.shape(0) == 0) throw std::invalid_argument("'" + name + "' is empty");
      views[place_of(*part)] = {type_of(array, name), static_cast<const std::byte*>(array.data()), array.shape(0)};
      arrays.push_back(std::move(array));
    }
  }
};

template <class T>
nb::object array_of(Stored stored) {
  const std::size_t size = stored.size;
  auto owned = std::make_unique<std::vector<std::byte>>(std::move(stored.bytes));
  T* data = reinterpret_cast<T*>(owned->data());
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<std::byte>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, {size}, owner));
}

nb::dict dict_of(StoredParts parts) {
  nb::dict out;
  for (std::size_t p = 0; p < kParts; ++p) {
    if (parts[p].size == 0) continue;
    out[std::string(kPartNames[p]).c_str()] =
        with_type(parts[p].type, [&](auto example) { return array_of<decltype(example)>(std::move(parts[p])); });
  }
  return out;
}

}  // namespace

void bind_file(nb::module_& m) {
  m.def(
      "part_names", [] { return std::vector<std::string>(kPartNames.begin(), kPartNames.end()); },
      "The names of the arrays that trees are stored in, in their order.");
  m.def(
      "tree_parts", [](const BoundTree& tree) { return dict_of(store(tree.tree())); }, nb::arg("tree"),
      "The arrays that a tree is stored in, by name.");
  m.def(
      "tree_of_parts",
      [](const nb::dict& parts, const Vector<std::int32_t>& n_categories) {
        return std::make_unique<BoundTree>(restore_tree(GivenParts(parts).views, view(n_categories)));
      },
      nb::arg("parts"), nb::arg("n_categories").noconvert(), "The tree that is stored in some arrays, checked.");
  m.def(
      "forest_parts",
      [](const Forest& forest, std::size_t n_threads) {
        StoredParts parts;
        run_hosted([&](Interrupt& interrupt) {
          ThreadTeam team(n_threads, &interrupt);
          parts = store(forest, team);
        });
        return dict_of(std::move(parts));
      },
      nb::arg("forest"), nb::arg("n_threads") = 1, "The arrays that a forest is stored in, by name.");
  m.def(
      "forest_of_parts",
      [](const nb::dict& parts, const Vector<std::int32_t>& n_categories, std::size_t n_threads) {
        const GivenParts given(parts);
        std::unique_ptr<Forest> forest;
        run_hosted([&](Interrupt& interrupt) {
          ThreadTeam team(n_threads, &interrupt);
          forest = std::make_unique<Forest>(restore_forest(given.views, view(n_categories), team));
        });
        return forest;
      },
      nb::arg("parts"), nb::arg("n_categories").noconvert(), nb::arg("n_threads") = 1,
      "The forest that is stored in some arrays, checked.");
}

}  // namespace spinney::bindings
