#pragma once
// The arrays that some trees are stored in: all of one kind behind each other, tree after tree and node after node.
// What follows from the rest is left out, and an array without entries too.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "spinney/file/stored.hpp"
#include "spinney/tree/fields.hpp"

namespace spinney {

enum class Part : std::uint8_t {
  n_features,      // of all trees
  n_nodes,         // of each tree
  n_classes,       // of each tree
  missing,         // of each tree
  n_costs,         // of each tree: 0, or classes times classes
  cost,            //
  n_groups,        // of each tree: 0, or classes of the forest
  group,           //
  kind,            // of each node
  child,           // of each inner node: how far behind it its first child is
  n_children,      // of each multiway node; others have two
  default_branch,  // of each inner node
  n_samples,       // of each node
  value,           // of each node and class
  weight,          // of each node, as the other plain arrays that tree/fields.hpp lists; some may be left out
  impurity,
  gain,
  risk,
  n_surrogates,  // of each inner node; left out if all are 0
  // Of each test, and then the same for surrogates.
  feature,    // unless it is an expression
  threshold,  // of a threshold test
  n_codes,    // of a subset or multiway test
  code,
  branch,
  n_cuts,  // of a multiway test
  cut,
  n_tokens,  // of an expression
  op,
  column,    // of a token that is a column
  constant,  // of a token that is a constant
  surrogate_kind,
  surrogate_feature,
  surrogate_threshold,
  surrogate_n_codes,
  surrogate_code,
  surrogate_branch,
  surrogate_n_cuts,
  surrogate_cut,
  surrogate_n_tokens,
  surrogate_op,
  surrogate_column,
  surrogate_constant,
  reversed,
  agreement,
  adjusted,
  n_objective,  // of each tree: letters of the name of its objective; left out if all have the default one
  objective,    // these letters
  answer,
  n_monotone,  // of each tree: columns with a sign of their own; left out if no tree has any
  monotone,    // these signs, 1 more than they are
};
/// From a part of a test to the same part of a surrogate.
inline constexpr std::size_t kToSurrogates =
    static_cast<std::size_t>(Part::surrogate_feature) - static_cast<std::size_t>(Part::feature);

/// The parts above. A plain array of nodes that is not among them is a part behind them, by the name of its field.
inline constexpr auto kNamedParts = std::to_array<std::string_view>({
    "n_features",
    "n_nodes",
    "n_classes",
    "missing",
    "n_costs",
    "cost",
    "n_groups",
    "group",
    "kind",
    "child",
    "n_children",
    "default_branch",
    "n_samples",
    "value",
    "weight",
    "impurity",
    "gain",
    "risk",
    "n_surrogates",
    "feature",
    "threshold",
    "n_codes",
    "code",
    "branch",
    "n_cuts",
    "cut",
    "n_tokens",
    "op",
    "column",
    "constant",
    "surrogate_kind",
    "surrogate_feature",
    "surrogate_threshold",
    "surrogate_n_codes",
    "surrogate_code",
    "surrogate_branch",
    "surrogate_n_cuts",
    "surrogate_cut",
    "surrogate_n_tokens",
    "surrogate_op",
    "surrogate_column",
    "surrogate_constant",
    "reversed",
    "agreement",
    "adjusted",
    "n_objective",
    "objective",
    "answer",
    "n_monotone",
    "monotone",
});

inline constexpr std::size_t kParts = [] {
  std::size_t n = kNamedParts.size();
  for_each_field([&](const auto& field) { n += std::ranges::count(kNamedParts, field.name) == 0 ? 1 : 0; });
  return n;
}();
inline constexpr std::array<std::string_view, kParts> kPartNames = [] {
  std::array<std::string_view, kParts> names;
  auto end = std::ranges::copy(kNamedParts, names.begin()).out;
  for_each_field([&](const auto& field) {
    if (std::ranges::count(kNamedParts, field.name) == 0) *end++ = field.name;
  });
  return names;
}();

constexpr std::size_t place_of(Part part) { return static_cast<std::size_t>(part); }

/// Whether the numbers of a part may be other than whole.
constexpr bool holds_reals(Part part) {
  bool reals = false;
  for_each_field(
      [&](const auto& field) { reals = reals || (!field.kWhole && field.name == kPartNames[place_of(part)]); });
  if (reals) return true;
  switch (part) {
    case Part::cost:
    case Part::threshold:
    case Part::cut:
    case Part::constant:
    case Part::surrogate_threshold:
    case Part::surrogate_cut:
    case Part::surrogate_constant:
    case Part::agreement:
    case Part::adjusted: return true;
    default: return false;
  }
}

template <class T>
using ByPart = std::array<T, kParts>;
/// A view without entries stands for an array that is not there.
using PartViews = ByPart<StoredView>;
using StoredParts = ByPart<Stored>;

constexpr std::optional<Part> part_of(std::string_view name) {
  for (std::size_t i = 0; i < kParts; ++i) {
    if (kPartNames[i] == name) return static_cast<Part>(i);
  }
  return std::nullopt;
}

/// The part of a plain array.
template <class F>
constexpr Part part_for(const F&) {
  constexpr Part part = *part_of(std::get<field_place<F::kMember>>(kFields).name);
  return part;
}

}  // namespace spinney
