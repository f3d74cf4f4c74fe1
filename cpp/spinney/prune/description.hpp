#pragma once
// The description length of a classification tree, and pruning by it (MDL): a tree is a message that tells the
// receiver, who has the table without the classes, first the tree and then the classes of the training rows.
//
//   structure   a bit for each node: is it a leaf?
//   test        which column; then a threshold or cuts among the places between the node's rows (by weight), or a set
//   among the
//               subsets of the categories that the node knows; the number of cuts, or the group of each category;
//               a branch per category costs nothing more
//   classes     in each leaf, adaptively: the next row is of class c with probability (seen of c + 1) / (seen + k)

#include <vector>

#include "spinney/tree/tree.hpp"

namespace spinney {

/// Bits by node: its own test, and the classes of its rows if it were a leaf.
struct Description {
  std::vector<double> test, classes;
};

Description describe(const Tree& tree);

/// Nodes to turn into leaves so that the message gets shortest.
std::vector<std::uint8_t> shortest(const Tree& tree);

}  // namespace spinney
