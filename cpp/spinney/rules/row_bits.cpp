#include "spinney/rules/row_bits.hpp"

#include <algorithm>

namespace spinney {

RowBits::RowBits(const ConditionTable& conditions, const RuleRows& rows, std::size_t max_bytes)
    : conditions_(conditions),
      rows_(rows),
      n_words_((words_for(rows.weight.size()) + kBlockWords - 1) / kBlockWords * kBlockWords),
      most_(max_bytes / (sizeof(Word) * std::max<std::size_t>(n_words_, 1))),
      live_(n_words_, 0),
      columns_(rows.x.n_columns) {
  for (std::size_t row = 0; row < rows.weight.size(); ++row) {
    if (rows.weight[row] > 0.0) live_[row / kWordBits] |= Word{1} << (row % kWordBits);
  }
}

Strip RowBits::column(FeatureIndex feature) {
  const Matrix& x = rows_.x;
  const double* data = x.data + static_cast<std::ptrdiff_t>(feature) * x.column_stride;
  if (x.row_stride == 1) return {data, 1, x.n_rows};
  std::vector<double>& copy = columns_[feature];
  if (copy.empty()) {
    copy.reserve(x.n_rows);
    for (std::size_t row = 0; row < x.n_rows; ++row) copy.push_back(x.at(row, feature));
  }
  return {copy.data(), 1, x.n_rows};
}

void RowBits::fill(std::int64_t key, std::vector<Word>& bits) {
  const auto n_conditions = static_cast<std::int64_t>(conditions_.size());
  if (key < n_conditions) {
    fulfilled(conditions_, static_cast<std::size_t>(key), column(conditions_.feature[key]), bits.data());
    return;
  }
  const auto label = static_cast<std::int32_t>(key - n_conditions);
  std::fill(bits.begin(), bits.end(), Word{0});
  for (std::size_t row = 0; row < rows_.codes.size(); ++row) {
    bits[row / kWordBits] |= static_cast<Word>(rows_.codes[row] == label) << (row % kWordBits);
  }
}

const Word* RowBits::find(std::int64_t key) {
  if (const auto found = places_.find(key); found != places_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->bits.data();
  }
  if (entries_.size() >= std::max(most_, least_)) {  // the oldest set makes room
    places_.erase(entries_.back().key);
    entries_.splice(entries_.begin(), entries_, std::prev(entries_.end()));
  } else {
    entries_.push_front({key, std::vector<Word>(n_words_)});
  }
  Entry& entry = entries_.front();
  entry.key = key;
  fill(key, entry.bits);
  places_[key] = entries_.begin();
  return entry.bits.data();
}

}  // namespace spinney
