#pragma once
// Every number below which a difference is taken for rounding, with its reason. Doubles round at 1.1e-16; what is
// compared here are sums of up to millions of them, taken in different orders.

namespace spinney::tolerance {

/// Of a node's loss: drops of two divisions closer than this are equal, and the first of them wins. A smaller share
/// would let the order of a sum choose the test; a larger one would pass over real gains of large nodes.
inline constexpr double kDrop = 1e-13;

/// Relative: two sums of the same rows taken in other orders (costs, errors, keys of categories, weights at a limit).
inline constexpr double kSum = 1e-12;

/// Relative: what a bound on the score of a block of entries may be too low by, as it is made of other sums.
inline constexpr double kBound = 1e-9;

/// Weight: shares of rows add up to a limit or to nothing but for this; limits are whole numbers of rows as a rule.
inline constexpr double kWeight = 1e-9;

/// Relative: alphas closer than this are one, so that all ties of a pruning sequence are pruned at once. They are
/// quotients of differences of sums, hence wider than kSum; at a given alpha twice as much, for both ends.
inline constexpr double kAlpha = 1e-11;

/// Relative: an alpha that a user copied from a table of the sequence, rounded.
inline constexpr double kGivenAlpha = 1e-9;

}  // namespace spinney::tolerance
