#pragma once
// Trees of leaves and thresholds, most of all forests, straight into their packed form.

#include <memory>
#include <optional>
#include <vector>

#include "spinney/file/source.hpp"
#include "spinney/tree/packed.hpp"

namespace spinney {

/// What reading a tree needs, used again for the next one.
struct PackedScratch {
  std::shared_ptr<const Tree> like;  // of the tree before, without nodes
  std::vector<std::uint8_t> kind;
  std::vector<NodeId> inner;  // nodes that are no leaves, and one that means nothing
  std::vector<std::uint32_t> child, default_branch, feature;
  std::vector<double> threshold;
};

/// A tree of n leaves and thresholds without stand-ins. Nothing if it is none, or if something is wrong with it, which
/// reading it as any other tree will tell. `like` has what a tree is beside its nodes.
std::optional<PackedTree> take_packed(Source& source, const Tree& like, std::size_t n, PackedScratch& scratch);

/// Where the parts of each tree begin, and after the last of them end, if that is easily told and worth it: large trees
/// of leaves and thresholds. Otherwise trees are read one after the other.
std::vector<Places> beginnings(const PartViews& parts);

}  // namespace spinney
