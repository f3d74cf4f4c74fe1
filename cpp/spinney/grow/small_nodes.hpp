#pragma once
// What those who grow small subtrees whole have in common: what they can grow, and what a node of two classes knows.

#include "spinney/grow/params.hpp"
#include "spinney/grow/stats.hpp"
#include "spinney/splits/groups.hpp"

namespace spinney {

/// What there are loops for: Gini of two classes, or squared error.
enum class SmallTask : std::uint8_t { none, classes, numbers };

/// Whether parameters ask for no more than the best threshold of each column; surrogates and monotone constraints are
/// another matter.
bool only_thresholds(const GrowParams& params, const Limits& limits);
/// Whether there are two classes whose weights are those of their rows.
bool plain_classes(const Target& target, const Samples& samples);

/// None where parameters, or the objective, ask for more than the best threshold of each column.
SmallTask small_task(const GrowParams& params, const Target& target, const Samples& samples, const Limits& limits);

/// The growth of a tree, of which they do a part.
struct Growth {
  const Dataset& data;
  const Target& target;
  const Samples& samples;
  const GrowParams& params;
  const Summarizer& summarizer;
  double total_weight;
  const Scan& scan;
  const Tree& like;  // without nodes
  Interrupt& interrupt;
};

/// Fills in what a node knows of its rows; true if they are of one class.
bool describe_classes(const Target& target, double zeros, double ones, std::int64_t n_rows, NodeStats& stats);

}  // namespace spinney
