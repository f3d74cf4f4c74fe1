#include "spinney/grow/messages.hpp"

namespace spinney {

namespace {

template <class T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void RowBlock::append(const RowBlock& other) {
  extend(number, other.number);
  extend(values, other.values);
  extend(codes, other.codes);
  extend(y, other.y);
  extend(weight, other.weight);
  extend(exposure, other.exposure);
}

Answer& Answer::operator+=(const Answer& other) {
  for (std::size_t i = 0; i < histograms.size(); ++i) histograms[i] += other.histograms[i];
  for (std::size_t i = 0; i < tallies.size(); ++i) tallies[i] += other.tallies[i];
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].append(other.rows[i]);
  children += other.children;
  return *this;
}

}  // namespace spinney
