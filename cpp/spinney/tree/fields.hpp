#pragma once
// The plain arrays of a tree's nodes, listed once. Builder, collapse, checks, packing, files and bindings follow the
// list, so that a new array is its declaration in Tree and a line here. Tests, children and surrogates are no plain
// arrays: what uses them spells them out.

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "spinney/tree/builder.hpp"
#include "spinney/tree/tree.hpp"

namespace spinney {

/// Which numbers an array may hold.
enum class Holds : std::uint8_t {
  any,      // all that its type has
  known,    // not NaN
  amounts,  // finite and not negative
  counts,   // class weights: amounts with a finite sum; in regression finite numbers
  answers,  // as counts, and the sum over the classes is above 0
};

/// One array: `kArray` is the member of Tree, `kGiven` the member of NodeStats or Division that the builder copies.
/// Without one the builder writes zeros, or leaves the array out if that is allowed.
template <auto kArray, auto kGiven = nullptr>
struct Field {
  std::string_view name;    // in files and in Python too
  bool per_output = false;  // n_outputs() entries a node; otherwise one
  bool inner_only = false;  // 0 in a leaf, and not stored for it
  Holds holds = Holds::known;
  /// The number of an entry of an array that is left out (empty); nullptr: it never is.
  double (Tree::*derived)(std::size_t) const = nullptr;
  bool of_classes_only = false;  // derived: only in classification
  bool is_optional = false;      // derived: Python sees no array rather than the derived numbers

  using Array = std::remove_cvref_t<decltype(std::declval<const Tree&>().*kArray)>;
  using Number = std::remove_cvref_t<decltype(std::declval<const Array&>()[0])>;
  static constexpr bool kWhole = std::is_integral_v<Number>;
  static constexpr auto kMember = kArray;
  static constexpr auto kSource = kGiven;

  static auto& in(Tree& tree) { return tree.*kArray; }
  static const auto& in(const Tree& tree) { return tree.*kArray; }
  std::size_t width(const Tree& tree) const { return per_output ? tree.n_outputs() : 1; }
  bool may_be_left_out(const Tree& tree) const {
    return derived != nullptr && (!of_classes_only || tree.n_classes > 0);
  }
  bool is_left_out(const Tree& tree) const { return in(tree).empty() && may_be_left_out(tree); }
  Number at(const Tree& tree, std::size_t entry) const {
    return is_left_out(tree) ? static_cast<Number>((tree.*derived)(entry)) : in(tree)[entry];
  }
  /// Whether the array can be left out without loss.
  bool follows(const Tree& tree) const {
    if (!may_be_left_out(tree)) return false;
    const Array& array = in(tree);
    for (std::size_t entry = 0; entry < array.size(); ++entry) {
      if (!same_bits(static_cast<double>(array[entry]), (tree.*derived)(entry))) return false;
    }
    return true;
  }
};

// A derived number may read arrays that come before it.
inline constexpr std::tuple kFields{
    Field<&Tree::n_samples, &NodeStats::n_samples>{.name = "n_samples", .holds = Holds::any},
    Field<&Tree::value, &NodeStats::value>{.name = "value", .per_output = true, .holds = Holds::counts},
    Field<&Tree::stored_weight, &NodeStats::weight>{
        .name = "weight", .holds = Holds::amounts, .derived = &Tree::derived_weight},
    Field<&Tree::stored_risk, &NodeStats::risk>{
        .name = "risk", .derived = &Tree::derived_risk, .of_classes_only = true},
    Field<&Tree::stored_impurity, &NodeStats::impurity>{.name = "impurity", .derived = &Tree::derived_impurity},
    Field<&Tree::gain, &Division::gain>{.name = "gain", .inner_only = true},
    Field<&Tree::answer, &NodeStats::answer>{.name = "answer",
                                             .per_output = true,
                                             .holds = Holds::answers,
                                             .derived = &Tree::derived_answer,
                                             .is_optional = true},
};
inline constexpr std::size_t kNumFields = std::tuple_size_v<decltype(kFields)>;

/// Calls visit(field) for each of them.
template <class Visit>
constexpr void for_each_field(const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, kFields);
}

static_assert(std::apply([](const auto&... field) { return (!(field.inner_only && field.derived) && ...); }, kFields),
              "an array of inner nodes only is never left out");

/// Where the field of a member of Tree is in the list, such as field_place<&Tree::value>.
template <auto kArray>
inline constexpr std::size_t field_place = [] {
  std::size_t place = 0, found = kNumFields;
  for_each_field([&](const auto& field) {
    if constexpr (std::is_same_v<std::remove_const_t<decltype(field.kMember)>, decltype(kArray)>) {
      if (field.kMember == kArray) found = place;
    }
    ++place;
  });
  return found;
}();
template <class F>
constexpr std::size_t place_of_field(const F&) {
  return field_place<F::kMember>;
}
/// A flag for each field, in the order of the list.
using FieldFlags = std::array<bool, kNumFields>;

/// Moves the numbers of inner nodes to the places of their nodes.
template <class Array, class IsLeaf>
void spread_inner(Array& array, std::size_t n_nodes, const IsLeaf& is_leaf) {
  const Array inner = std::exchange(array, {});
  array.reserve(n_nodes);
  for (std::size_t node = 0, i = 0; node < n_nodes; ++node) array.push_back(is_leaf(node) ? 0 : inner[i++]);
}

}  // namespace spinney
