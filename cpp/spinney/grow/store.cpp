#include "spinney/grow/store.hpp"

#include <stdexcept>

#include "spinney/data/sorted.hpp"

namespace spinney {

void SideStore::place_unknown(const Marks& marks, const Fork& fork) {
  for (const SampleIndex s : marks.unknown)
    side_[s] = static_cast<std::uint8_t>(fork.branch(data_.values, samples_.row[s]));
}

void SideStore::share_unknown(Marks& marks, double left_share) {
  if (marks.unknown.empty()) return;
  if (samples_.size() + marks.unknown.size() >= Entry::kMostSamples)
    throw std::length_error("rows with gaps are in too many parts: fewer than 2^30 rows and parts can be sorted");
  marks.shared = true;
  twin_.resize(samples_.size() + marks.unknown.size(), kAbsent);
  for (const SampleIndex s : marks.unknown) {
    twin_[s] = static_cast<SampleIndex>(samples_.size());
    samples_.part(s, left_share);
    side_[s] = kBoth;
    side_.push_back(kRight);
  }
  marks.sides.of = side_.data();
}

}  // namespace spinney
