#include "spinney/file/restore_packed.hpp"

#include <algorithm>
#include <limits>

#include "spinney/file/codec.hpp"

namespace spinney {

namespace {

/// How many nodes are no leaves; nothing if some ask for more than a threshold.
std::optional<std::size_t> count_inner(std::span<const std::uint8_t> kinds) {
  std::size_t n_inner = 0, most = 0;
  for (const std::uint8_t kind : kinds) {
    n_inner += kind;
    most = std::max<std::size_t>(most, kind);
  }
  if (most > static_cast<std::size_t>(TestKind::threshold)) return {};
  return n_inner;
}

/// Tests and children; nothing if there is an inner node that would seem to be a leaf.
std::optional<PackedArrays> take_routes(Source& source, std::size_t n_inner, PackedScratch& scratch) {
  const std::size_t n = scratch.kind.size();
  PackedArrays arrays;
  source.fill(Part::child, scratch.child, n_inner);
  source.fill(Part::feature, scratch.feature, n_inner);
  source.fill(Part::threshold, scratch.threshold, n_inner);
  source.fill(Part::default_branch, scratch.default_branch, n_inner);
  arrays.nodes.resize(n);
  arrays.default_branch.assign(n, 0);
  scratch.inner.resize(n + 1);
  for (std::size_t node = 0, i = 0; node < n; ++node) {  // whether a node is a leaf is not branched on
    arrays.nodes[node] = {kInfinity, 0, static_cast<NodeId>(node)};
    scratch.inner[i] = static_cast<NodeId>(node);
    i += scratch.kind[node];
  }
  for (std::size_t i = 0; i < n_inner; ++i) {
    if (scratch.child[i] == 0) return {};
    const NodeId node = scratch.inner[i];
    const std::size_t first = static_cast<std::size_t>(node) + scratch.child[i];
    arrays.nodes[node] = {scratch.threshold[i], static_cast<FeatureIndex>(scratch.feature[i]),
                          static_cast<NodeId>(first)};
    arrays.default_branch[node] = static_cast<std::uint8_t>(std::min(scratch.default_branch[i], 2U));
  }
  return arrays;
}

/// Numbers in single precision if they fit it.
PackedReals take_reals(Source& source, Part part, std::size_t n) {
  const StoredType type = source.type(part);
  if (type == StoredType::f64 || type == StoredType::u32) {
    std::vector<double> numbers;
    source.fill(part, numbers, n);
    return PackedReals(std::move(numbers));
  }
  std::vector<float> numbers;
  source.fill(part, numbers, n);
  return PackedReals(std::move(numbers));
}

/// The plain arrays.
void take_fields(Source& source, std::size_t n_inner, const Tree& like, PackedArrays& arrays) {
  for_each_field([&](const auto& field) {
    const Part part = part_for(field);
    if (!source.has(part) && field.may_be_left_out(like)) return;
    const std::size_t n_entries = (field.inner_only ? n_inner : arrays.nodes.size()) * field.width(like);
    if constexpr (std::remove_cvref_t<decltype(field)>::kWhole) {
      source.fill(part, arrays.of(field), n_entries);
    } else {
      arrays.of(field) = take_reals(source, part, n_entries);
    }
  });
  arrays.leave_out(like);
}

}  // namespace

std::optional<PackedTree> take_packed(Source& source, const Tree& like, std::size_t n, PackedScratch& scratch) {
  if (source.has(Part::n_surrogates) || like.missing == MissingRule::fractional || !like.cost.empty() ||
      !like.objective.empty() || !like.monotone.empty())
    return {};
  // Without nodes there are no values, and nothing bounds the number of classes.
  if (n == 0 || n >= static_cast<std::size_t>(std::numeric_limits<NodeId>::max())) return {};
  source.fill(Part::kind, scratch.kind, n);
  const auto n_inner = count_inner(scratch.kind);
  if (!n_inner) return {};
  auto arrays = take_routes(source, *n_inner, scratch);
  if (!arrays) return {};
  take_fields(source, *n_inner, like, *arrays);
  if (!scratch.like || scratch.like->n_classes != like.n_classes || scratch.like->missing != like.missing)
    scratch.like = std::make_shared<const Tree>(like);
  PackedTree tree(scratch.like, std::move(*arrays));
  if (!tree.is_sound()) return {};
  return tree;
}

std::vector<Places> beginnings(const PartViews& parts) {
  constexpr std::size_t kLarge = 256;  // nodes a tree: the places of small ones would take more room than they
  const StoredView &kind = parts[place_of(Part::kind)], &n_nodes = parts[place_of(Part::n_nodes)];
  const StoredView& n_classes = parts[place_of(Part::n_classes)];
  const bool plain = n_classes.size == n_nodes.size && parts[place_of(Part::n_costs)].size == n_nodes.size &&
                     parts[place_of(Part::n_groups)].size == n_nodes.size &&
                     parts[place_of(Part::n_surrogates)].size == 0 && parts[place_of(Part::n_objective)].size == 0 &&
                     parts[place_of(Part::n_monotone)].size == 0;
  if (!plain || n_nodes.size < 2 || kind.size / kLarge < n_nodes.size) return {};
  std::vector<Places> begins = {{}};
  std::vector<std::uint8_t> kinds;
  for (std::size_t i = 0; i < n_nodes.size; ++i) {
    Places at = begins.back();
    const auto n = n_nodes.at<std::size_t>(i), k = std::max<std::size_t>(n_classes.at<std::size_t>(i), 1);
    if (n > kind.size - at[place_of(Part::kind)]) return {};
    kinds.resize(n);
    kind.copy(at[place_of(Part::kind)], std::span(kinds));
    const auto n_inner = count_inner(kinds);
    if (!n_inner) return {};
    const auto move = [&](Part part, std::size_t by) {
      if (parts[place_of(part)].size > 0) at[place_of(part)] += by;
    };
    for (const Part part : {Part::n_nodes, Part::n_classes, Part::missing, Part::n_costs, Part::n_groups})
      move(part, 1);
    move(Part::kind, n);
    for (const Part part : {Part::child, Part::default_branch, Part::feature, Part::threshold}) move(part, *n_inner);
    for_each_field([&](const auto& field) {
      move(part_for(field), (field.inner_only ? *n_inner : n) * (field.per_output ? k : 1));
    });
    move(Part::cost, parts[place_of(Part::n_costs)].at<std::size_t>(i));
    move(Part::group, parts[place_of(Part::n_groups)].at<std::size_t>(i));
    begins.push_back(at);
  }
  return begins;
}

}  // namespace spinney
