#pragma once
// The best cut of any range of a sorted column, without a look at every row.
//
// What a cut takes off the loss is convex in what stands left of it, as a point (weight, sum). The best cut of a range
// is therefore a corner of the convex hull of their points, whatever node the range belongs to. The hulls of 32 places,
// of 64, 128, ... are made once; a node looks at the few that its range is made of, and at single places at both ends.
//
//   place    between two runs of equal values, numbered from 0 before all rows
//   sum      of classes: the weight of the second one; of numbers: their sum, in integers

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spinney/splits/scan.hpp"
#include "spinney/tolerance.hpp"

namespace spinney {

/// What some rows add up to.
struct WholeSums {
  std::int64_t weight = 0, sum = 0;
  friend WholeSums operator-(const WholeSums& a, const WholeSums& b) { return {a.weight - b.weight, a.sum - b.sum}; }
};

/// Part of the places, with the last.
struct PlaceRange {
  std::size_t first, last;
};

/// Products of a sum and a weight must stay below 2^62.
class PrefixHulls {
 public:
  /// before: what stands before each place; matters: whether a cut there can be best at all, empty if all can.
  PrefixHulls(std::vector<WholeSums> before, std::vector<std::uint8_t> matters);

  const WholeSums& before(std::size_t place) const { return before_[place]; }

  /// The first cut of a range that no other is better than by more than the slack, in order: what a scan of all finds
  /// that takes a cut if it is better than the last one taken. The ends of the range are tried if `ends`, even if they
  /// do not matter. Position is the place.
  ///   rule.score(left)          what is compared, of the sums that stand left of a cut
  ///   rule.least(score)         how much a cut must explain that can come to a score
  ///   rule.explains(left, least)  whether it may explain so much
  template <class Rule>
  Cut best(PlaceRange range, std::size_t node_begin, bool ends, const Rule& rule, double slack) const;

 private:
  static constexpr std::size_t kPlaces = 32;  // of a block of the first level
  /// Corners of the hulls of blocks of one size: places, the lower side of each block, then its upper side.
  struct Level {
    std::vector<std::uint32_t> corners, begin;
    std::size_t n_blocks() const { return begin.size() / 2; }
  };

  std::span<const std::uint32_t> corners(std::size_t level, std::size_t block) const {
    const Level& hulls = levels_[level];
    return std::span(hulls.corners)
        .subspan(hulls.begin[2 * block], hulls.begin[2 * block + 2] - hulls.begin[2 * block]);
  }
  bool matters(std::size_t place) const { return matters_.empty() || matters_[place] != 0; }
  void add_side(std::span<const std::uint32_t> places, bool lower, Level& level) const;
  void add_first_level();
  void add_level();
  /// Calls one(place) and block(level, number) for the parts of a range, from the left to the right.
  template <class One, class Block>
  void for_parts(PlaceRange range, const One& one, const Block& block) const;

  std::vector<WholeSums> before_;
  std::vector<std::uint8_t> matters_;
  std::vector<Level> levels_;
};

template <class One, class Block>
void PrefixHulls::for_parts(PlaceRange range, const One& one, const Block& block) const {
  for (std::size_t at = range.first; at <= range.last;) {
    std::size_t size = kPlaces, level = 0;
    if (at % kPlaces != 0 || at + size > range.last + 1) {
      one(at++);
      continue;
    }
    for (; at % (2 * size) == 0 && at + 2 * size <= range.last + 1 && level + 1 < levels_.size(); ++level) size *= 2;
    block(level, at / size);
    at += size;
  }
}

template <class Rule>
Cut PrefixHulls::best(PlaceRange range, std::size_t node_begin, bool ends, const Rule& rule, double slack) const {
  const WholeSums start = before_[node_begin];
  // Once in any order, for the best score there is: the ends come first, where that of a lopsided node lies.
  double most = -kInfinity, least = -kInfinity;
  const auto raise = [&](std::size_t place) {
    const WholeSums left = before_[place] - start;
    if (!rule.explains(left, least)) return;
    const double score = rule.score(left);
    if (!(score > most)) return;
    most = score;
    least = rule.least(score);
  };
  const auto raise_if = [&](std::size_t place) {
    if (matters(place) || (ends && (place == range.first || place == range.last))) raise(place);
  };
  raise_if(range.first);
  raise_if(range.last);
  for_parts(range, raise_if, [&](std::size_t level, std::size_t block) {
    for (const std::uint32_t place : corners(level, block)) raise(place);
  });
  Cut found;
  if (most == -kInfinity) return found;
  // Once from the left to the right, as equal cuts are told apart by their order. Only parts count that come near it.
  double goal = most - tolerance::kBound * std::abs(most) - slack;
  least = rule.least(goal);
  const auto look = [&](std::size_t place) {
    if (!matters(place) && !(ends && (place == range.first || place == range.last))) return;
    const WholeSums left = before_[place] - start;
    if (!rule.explains(left, least)) return;
    const double score = rule.score(left);
    if (!(score > found.drop + slack)) return;
    found = {score, static_cast<std::uint32_t>(place)};
    goal = std::max(goal, score + 0.9375 * slack);  // corners and what lies between them are rounded apart
    least = rule.least(goal);
  };
  const auto comes_near = [&](std::size_t level, std::size_t block) {
    return std::ranges::any_of(corners(level, block), [&](std::uint32_t place) {
      const WholeSums left = before_[place] - start;
      return rule.explains(left, least) && rule.score(left) >= goal;
    });
  };
  struct Block {
    std::size_t level, number;
  };
  std::vector<Block> open;
  if (ends) look(range.first);
  for_parts(range, look, [&](std::size_t level, std::size_t number) {
    open.push_back({level, number});
    while (!open.empty()) {
      const Block block = open.back();
      open.pop_back();
      if (!comes_near(block.level, block.number)) continue;
      if (block.level > 0) {
        open.push_back({block.level - 1, 2 * block.number + 1});
        open.push_back({block.level - 1, 2 * block.number});
        continue;
      }
      for (std::size_t place = kPlaces * block.number; place < kPlaces * (block.number + 1); ++place) look(place);
    }
  });
  if (ends) look(range.last);
  return found;
}

}  // namespace spinney
