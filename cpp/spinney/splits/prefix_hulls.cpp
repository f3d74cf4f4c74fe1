#include "spinney/splits/prefix_hulls.hpp"

namespace spinney {

PrefixHulls::PrefixHulls(std::vector<WholeSums> before, std::vector<std::uint8_t> matters)
    : before_(std::move(before)), matters_(std::move(matters)) {
  add_first_level();
  while (levels_.back().n_blocks() > 1) add_level();
}

/// One side of the hull of places in order (Andrew 1979): those that the line between their neighbours leaves out.
void PrefixHulls::add_side(std::span<const std::uint32_t> places, bool lower, Level& level) const {
  std::vector<std::uint32_t>& corners = level.corners;
  const std::size_t begin = corners.size();
  const auto leaves_out = [&](std::uint32_t next) {
    const WholeSums& a = before_[corners[corners.size() - 2]];
    const WholeSums to = before_[corners.back()] - a, past = before_[next] - a;
    const std::int64_t turn = to.weight * past.sum - past.weight * to.sum;
    return lower ? turn <= 0 : turn >= 0;
  };
  for (const std::uint32_t place : places) {
    while (corners.size() >= begin + 2 && leaves_out(place)) corners.pop_back();
    corners.push_back(place);
  }
  level.begin.push_back(static_cast<std::uint32_t>(corners.size()));
}

void PrefixHulls::add_first_level() {
  Level& level = levels_.emplace_back();
  level.begin.push_back(0);
  std::vector<std::uint32_t> places;
  for (std::size_t first = 0; first + kPlaces <= before_.size(); first += kPlaces) {
    places.clear();
    for (std::size_t place = first; place < first + kPlaces; ++place) {
      if (matters(place)) places.push_back(static_cast<std::uint32_t>(place));
    }
    add_side(places, true, level);
    add_side(places, false, level);
  }
}

/// From the hulls of halves.
void PrefixHulls::add_level() {
  const std::size_t n = levels_.back().n_blocks() / 2;
  levels_.emplace_back().begin.push_back(0);
  const Level& halves = levels_[levels_.size() - 2];
  std::vector<std::uint32_t> places;
  for (std::size_t block = 0; block < n; ++block) {
    for (const std::size_t side : {0, 1}) {
      places.clear();
      for (const std::size_t half : {4 * block + side, 4 * block + 2 + side}) {
        const auto from = halves.corners.begin();
        places.insert(places.end(), from + halves.begin[half], from + halves.begin[half + 1]);
      }
      add_side(places, side == 0, levels_.back());
    }
  }
}

}  // namespace spinney
