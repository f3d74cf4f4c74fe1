#include "spinney/grow/worker.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "spinney/grow/bin_search.hpp"
#include "spinney/prefetch.hpp"
#include "spinney/tree/route.hpp"

namespace spinney {

namespace {

constexpr std::size_t kPiece = 1 << 15;  // rows that a thread counts at a time
constexpr std::size_t kAhead = 32;       // rows whose codes are fetched before they are needed

}  // namespace

Worker::Worker(const Dataset& data, const Samples& samples, std::span<const std::uint64_t> numbers,
               const NumberMoments& objective, ThreadTeam& team, Interrupt& interrupt)
    : data_(data), team_(team), interrupt_(interrupt), accumulators_(team.size()), spare_(team.size()) {
  std::vector<SampleIndex> sample_of(data.values.n_rows, kAbsent);  // samples come by target, rows as they are stored
  for (SampleIndex s = 0; s < samples.size(); ++s) sample_of[samples.row[s]] = s;
  for (RowIndex row = 0; row < sample_of.size(); ++row) {
    const SampleIndex s = sample_of[row];
    if (s == kAbsent) continue;
    row_.push_back(row);
    if (samples.n_classes > 0) {
      targets_.label.push_back(samples.label[s]);
    } else {
      targets_.y.push_back(samples.y[s] + samples.y_shift);
      if (!samples.exposure.empty()) targets_.exposure.push_back(samples.exposure[s]);
    }
  }
  n_rows_ = row_.size();
  targets_.weight = RowWeights(n_rows_, [&](std::size_t i) { return samples.weight[sample_of[row_[i]]]; });
  bounds_ = RowBounds(targets_, objective);
  number_.reserve(numbers.empty() ? 0 : row_.size());
  for (std::size_t i = 0; i < row_.size() && !numbers.empty(); ++i) number_.push_back(numbers[row_[i]]);
}

Worker::Worker(const Dataset& data, RowTargets targets, std::uint64_t first_number, ThreadTeam& team,
               Interrupt& interrupt)
    : data_(data),
      team_(team),
      interrupt_(interrupt),
      n_rows_(data.values.n_rows),
      first_number_(first_number),
      targets_(std::move(targets)),
      accumulators_(team.size()),
      spare_(team.size()) {}

void Worker::prepare(const BinBorders& borders, const MomentLayout& layout, std::span<const FeatureIndex> features) {
  std::vector<RowIndex> all(row_.empty() ? n_rows_ : 0);
  std::iota(all.begin(), all.end(), RowIndex{0});
  const BinInput input{data_, row_.empty() ? all : row_, features};
  prepare(borders, layout, std::make_unique<BinnedRows>(input, borders, team_, interrupt_), features);
}

void Worker::prepare(const BinBorders& borders, const MomentLayout& layout, std::unique_ptr<BinnedRows> bins,
                     std::span<const FeatureIndex> features) {
  borders_ = &borders;
  layout_ = layout;
  moments_ = RowMoments(layout, std::move(targets_));
  bins_ = std::move(bins);
  const std::vector<FeatureIndex> columns = asked_columns(features, data_.columns.size());
  bin_layout_ = std::make_shared<const HistogramLayout>(borders, columns, layout.bin_width());
  tally_layout_ = std::make_shared<const HistogramLayout>(borders, columns, layout.equal_weights ? 2 : 3);
}

NodeSums Worker::start(const Tree* tree) {
  const std::size_t n_nodes = tree ? tree->n_nodes() : 1;
  std::vector<NodeId> leaf(tree ? n_rows_ : 0);
  for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = walk(*tree, 0, data_.values, row(i));
  const auto leaf_of = [&](std::size_t i) { return leaf.empty() ? NodeId{0} : leaf[i]; };
  std::vector<std::size_t> begin(n_nodes + 1, 0);
  const auto takes_part = [&](std::size_t i) { return moments_.targets.weight[i] > 0.0; };
  for (std::size_t i = 0; i < n_rows_; ++i) begin[leaf_of(i) + 1] += takes_part(i) ? 1 : 0;
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  range_.assign(n_nodes, {});
  for (std::size_t node = 0; node < n_nodes; ++node) range_[node] = {begin[node], begin[node + 1]};
  order_.resize(begin.back());
  for (std::size_t i = 0; i < n_rows_; ++i) {
    if (takes_part(i)) order_[begin[leaf_of(i)]++] = static_cast<std::uint32_t>(i);
  }
  NodeSums sums(layout_, n_nodes);
  for (std::size_t node = 0; node < n_nodes; ++node)
    add_rows(layout_, moments_, members(static_cast<NodeId>(node)), sums, node);
  return sums;
}

void Worker::resume(Places places) {
  for (const std::uint32_t row : places.order) {
    if (row >= n_rows_) throw std::invalid_argument("places of other rows");
  }
  for (const Range& range : places.range) {
    if (range.begin > range.end || range.end > places.order.size()) throw std::invalid_argument("ranges out of place");
  }
  order_ = std::move(places.order);
  range_ = std::move(places.range);
}

Answer Worker::answer(const Request& request) {
  Answer out;
  if (request.tallies.size() > 0) out.tallies = tallies(request.tallies);
  if (request.divisions.size() > 0) out.children = apply(request.divisions);
  if (!request.histograms.empty()) out.histograms = histograms(request.histograms);
  if (!request.rows.empty()) out.rows = rows(request.rows);
  return out;
}

std::vector<Worker::Piece> Worker::pieces_of(std::span<const NodeId> nodes) const {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Range& all = range_[nodes[i]];
    for (std::size_t begin = all.begin; begin < all.end; begin += kPiece)
      pieces.push_back({i, {begin, std::min(all.end, begin + kPiece)}});
  }
  return pieces;
}

/// Pieces of a node are added up as threads come to them: sums of integers are the same in any order.
template <class Count>
std::vector<Histogram> Worker::count(std::span<const NodeId> nodes, const HistogramLayoutPtr& layout,
                                     const Count& count_piece) {
  std::vector<Histogram> out(nodes.size(), Histogram(layout));
  const std::vector<Piece> pieces = pieces_of(nodes);
  if (team_.size() == 1) {
    for (const Piece& piece : pieces) {
      interrupt_.check();
      count_piece(piece, out[piece.node], accumulators_[0]);
    }
    return out;
  }
  std::vector<std::mutex> mutex(nodes.size());
  team_.run(pieces.size(), [&](std::size_t p, std::size_t thread) {
    interrupt_.check();
    Histogram part(layout);
    count_piece(pieces[p], part, accumulators_[thread]);
    const std::lock_guard lock(mutex[pieces[p].node]);
    out[pieces[p].node] += part;
  });
  return out;
}

std::vector<Histogram> Worker::histograms(std::span<const NodeId> nodes) {
  const Terms terms{.label = layout_.n_classes > 0 ? moments_.targets.label.data() : nullptr,
                    .weight = layout_.equal_weights ? nullptr : moments_.weight.data(),
                    .n_moments = layout_.objective.n_in_bins,
                    .moments = moments_.moments.data(),
                    .weight_code = moments_.targets.weight.codes()};
  return count(nodes, bin_layout_, [&](const Piece& piece, Histogram& to, Accumulator& accumulator) {
    const auto rows = std::span(order_).subspan(piece.range.begin, piece.range.size());
    accumulator.add(*bins_, terms, rows, to);
  });
}

/// A tally is a histogram of two classes: the sides. Rows of unknown side are left out.
std::vector<Histogram> Worker::tallies(const Divisions& divisions) {
  side_.resize(n_rows_);
  const Terms terms{.label = side_.data(),
                    .weight = layout_.equal_weights ? nullptr : moments_.weight.data(),
                    .weight_code = moments_.targets.weight.codes()};
  return count(divisions.node, tally_layout_, [&](const Piece& piece, Histogram& to, Accumulator& accumulator) {
    const std::vector<std::uint8_t> side = sides_of_bins(divisions.tests.get(piece.node), *borders_);
    std::vector<std::uint32_t> known;
    bins_->with_column(divisions.tests.feature[piece.node], [&](const auto& block, std::size_t index) {
      for (std::size_t at = piece.range.begin; at < piece.range.end; ++at) {
        const std::uint32_t r = order_[at];
        side_[r] = side[block.of(r)[index]];
        if (side_[r] != kUnknown) known.push_back(r);
      }
    });
    accumulator.add(*bins_, terms, known, to);
  });
}

std::uint8_t Worker::place_unknown(const Divisions& divisions, std::size_t i, std::uint32_t row) const {
  const std::int32_t branch = divisions.surrogates.first_answer(i, data_.values, this->row(row));
  return static_cast<std::uint8_t>(branch == kNoBranch ? divisions.default_branch[i] : branch);
}

NodeSums Worker::apply(const Divisions& divisions) {
  NodeSums sums(layout_, 2 * divisions.size());
  for (const NodeId first : divisions.first_child)
    range_.resize(std::max(range_.size(), static_cast<std::size_t>(first) + 2));
  team_.run(divisions.size(), [&](std::size_t i, std::size_t thread) {
    interrupt_.check();
    divide(divisions, i, spare_[thread], sums);
  });
  return sums;
}

/// Stable: rows that go left close up in place, the others go by way of spare memory. Both are written and one moves
/// on: nothing to guess.
void Worker::divide(const Divisions& divisions, std::size_t i, std::vector<std::uint32_t>& spare, NodeSums& sums) {
  const Range all = range_[divisions.node[i]];
  if (spare.size() < all.size() + 1) spare.resize(all.size() + 1);
  const std::vector<std::uint8_t> sides = sides_of_bins(divisions.tests.get(i), *borders_);
  std::size_t n_left = 0;
  bins_->with_column(divisions.tests.feature[i], [&](const auto& block, std::size_t index) {
    std::uint32_t* const rows = order_.data() + all.begin;
    std::size_t left = 0, right = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (at + kAhead < all.size()) prefetch(block.of(rows[at + kAhead]) + index);
      const std::uint32_t r = rows[at];
      std::size_t side = sides[block.of(r)[index]];
      if (side == kUnknown) side = place_unknown(divisions, i, r);
      rows[left] = r;
      spare[right] = r;
      left += 1 - side;
      right += side;
    }
    std::copy(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(right), rows + left);
    n_left = left;
  });
  const NodeId first = divisions.first_child[i];
  range_[first] = {all.begin, all.begin + n_left};
  range_[first + 1] = {all.begin + n_left, all.end};
  add_rows(layout_, moments_, members(first), sums, 2 * i);
  add_rows(layout_, moments_, members(first + 1), sums, 2 * i + 1);
}

std::vector<RowBlock> Worker::rows(std::span<const NodeId> nodes) const {
  std::vector<RowBlock> out(nodes.size());
  const std::size_t n_columns = data_.columns.size();
  team_.run(nodes.size(), [&](std::size_t i, std::size_t) {
    const auto group = members(nodes[i]);
    RowBlock& block = out[i];
    block.values.resize(group.size() * n_columns);
    block.number.reserve(group.size());
    block.weight.reserve(group.size());
    double* to = block.values.data();
    for (const std::uint32_t r : group) {
      for (std::size_t f = 0; f < n_columns; ++f) *to++ = data_.values.at(row(r), f);
      block.number.push_back(number_.empty() ? first_number_ + row(r) : number_[r]);
      block.weight.push_back(moments_.targets.weight[r]);
      if (layout_.n_classes > 0) {
        block.codes.push_back(moments_.targets.label[r]);
      } else {
        block.y.push_back(moments_.targets.y[r]);
        if (!moments_.targets.exposure.empty()) block.exposure.push_back(moments_.targets.exposure[r]);
      }
    }
  });
  return out;
}

}  // namespace spinney
