#include "spinney/forest/leaf_rows.hpp"

#include <algorithm>

#include "spinney/tolerance.hpp"

namespace spinney {

namespace {

constexpr std::size_t kBlockRows = 1024;

/// The rows of one tree by leaf, in each leaf by place.
struct TreeRows {
  std::vector<std::uint32_t> place, begin;
};

TreeRows rows_of(const Forest& forest, const DrawnMember& drawn, const Matrix& x, const Target& target,
                 std::span<const std::uint32_t> place_of_row, Interrupt& interrupt) {
  const std::vector<double> counts = drawn.sampling->counts_by_row(target, drawn.member);
  std::vector<RowIndex> rows;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    const double times = target.weight[row] > 0.0 ? counts[row] : 0.0;
    for (double i = 0.0; i < times; ++i) rows.push_back(static_cast<RowIndex>(row));
  }
  std::sort(rows.begin(), rows.end(), [&](RowIndex a, RowIndex b) { return place_of_row[a] < place_of_row[b]; });
  const Tree tree = forest.member(drawn.member).tree.unpack();
  std::vector<NodeId> leaf(rows.size());
  Predictor(tree).leaves(tree, x, rows, leaf.data(), interrupt);
  TreeRows out{std::vector<std::uint32_t>(rows.size()), std::vector<std::uint32_t>(tree.n_nodes() + 1, 0)};
  for (const NodeId node : leaf) ++out.begin[static_cast<std::size_t>(node) + 1];
  for (std::size_t node = 0; node < tree.n_nodes(); ++node) out.begin[node + 1] += out.begin[node];
  std::vector<std::uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  for (std::size_t i = 0; i < rows.size(); ++i) out.place[next[leaf[i]]++] = place_of_row[rows[i]];
  return out;
}

/// The distribution of the target for one row, from the rows in its leaves.
class Distribution {
 public:
  explicit Distribution(const LeafTargets& leaves) : leaves_(leaves) {}

  void clear() { entries_.clear(); }
  /// A leaf divides a weight of 1 among its rows.
  void add(std::span<const std::uint32_t> places) {
    double total = 0.0;
    for (const std::uint32_t place : places) total += leaves_.weight[place];
    for (const std::uint32_t place : places) entries_.push_back({place, leaves_.weight[place] / total});
  }
  /// Weights up to each place that has any.
  void add_up() {
    if (4 * entries_.size() > leaves_.y.size()) {
      add_up_all();
    } else {
      add_up_sorted();
    }
  }
  double quantile(double share) const {
    if (passed_.empty()) return kNaN;
    const double wanted = share * passed_.back() * (1.0 - tolerance::kSum);
    const auto at = std::lower_bound(passed_.begin(), passed_.end(), wanted) - passed_.begin();
    return leaves_.y[places_[at]];
  }

 private:
  struct Entry {
    std::uint32_t place;
    double weight;
  };
  /// Of each place in the order in which its weights came, whichever way they are added up.
  void add_up_sorted() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.place < b.place; });
    begin_sum();
    for (std::size_t i = 0; i < entries_.size();) {
      const std::uint32_t place = entries_[i].place;
      double weight = 0.0;
      for (; i < entries_.size() && entries_[i].place == place; ++i) weight += entries_[i].weight;
      pass(place, weight);
    }
  }
  void add_up_all() {
    dense_.assign(leaves_.y.size(), 0.0);
    for (const Entry& entry : entries_) dense_[entry.place] += entry.weight;
    begin_sum();
    for (std::uint32_t place = 0; place < dense_.size(); ++place) {
      if (dense_[place] > 0.0) pass(place, dense_[place]);
    }
  }
  void begin_sum() {
    places_.clear();
    passed_.clear();
  }
  void pass(std::uint32_t place, double weight) {
    places_.push_back(place);
    passed_.push_back((passed_.empty() ? 0.0 : passed_.back()) + weight);
  }

  const LeafTargets& leaves_;
  std::vector<Entry> entries_;
  std::vector<double> dense_, passed_;
  std::vector<std::uint32_t> places_;
};

/// Where the offsets of each tree begin.
std::vector<std::size_t> offsets_of(const Forest& forest) {
  std::vector<std::size_t> out(forest.size() + 1, 0);
  for (std::size_t i = 0; i < forest.size(); ++i) out[i + 1] = out[i] + forest.member(i).tree.n_nodes() + 1;
  return out;
}

}  // namespace

LeafRows leaf_rows(const Forest& forest, std::span<const DrawnMember> members, const Matrix& x, const Target& target,
                   std::span<const std::uint32_t> place_of_row, ThreadTeam& team, Interrupt& interrupt) {
  LeafRows out;
  out.tree.push_back(0);
  std::vector<TreeRows> batch;
  for (std::size_t begin = 0; begin < members.size(); begin += batch.size()) {
    batch.clear();
    batch.resize(std::min(2 * team.size(), members.size() - begin));
    team.run(batch.size(), [&](std::size_t i, std::size_t) {
      interrupt.check();
      batch[i] = rows_of(forest, members[begin + i], x, target, place_of_row, interrupt);
    });
    for (const TreeRows& rows : batch) {
      out.place.insert(out.place.end(), rows.place.begin(), rows.place.end());
      out.begin.insert(out.begin.end(), rows.begin.begin(), rows.begin.end());
      out.tree.push_back(static_cast<std::int64_t>(out.place.size()));
    }
  }
  return out;
}

void leaf_quantiles(const Forest& forest, const LeafTargets& leaves, std::span<const std::int64_t> members,
                    const Matrix& x, std::span<const double> quantiles, double* out, const Work& work) {
  const std::vector<std::size_t> offsets = offsets_of(forest);
  std::vector<NodeId> leaf(std::min(kBlockRows, x.n_rows) * forest.size());
  ThreadTeam team(std::min(work.n_threads, std::max<std::size_t>(x.n_rows / 16, 1)), &work.interrupt);
  std::vector<Distribution> distributions(team.size(), Distribution(leaves));
  for (std::size_t begin = 0; begin < x.n_rows; begin += kBlockRows) {
    Matrix block = x;
    block.n_rows = std::min(kBlockRows, x.n_rows - begin);
    block.data += static_cast<std::ptrdiff_t>(begin) * x.row_stride;
    forest.apply(block, leaf.data(), work);
    team.run(block.n_rows, [&](std::size_t row, std::size_t worker) {
      if (row % 64 == 0) work.interrupt.check();
      Distribution& distribution = distributions[worker];
      distribution.clear();
      for (const std::int64_t member : members) {
        const std::uint32_t* const node = leaves.begin.data() + offsets[member] + leaf[row * forest.size() + member];
        distribution.add(leaves.place.subspan(leaves.tree[member] + node[0], node[1] - node[0]));
      }
      distribution.add_up();
      double* const own = out + (begin + row) * quantiles.size();
      for (std::size_t q = 0; q < quantiles.size(); ++q) own[q] = distribution.quantile(quantiles[q]);
    });
  }
}

}  // namespace spinney
