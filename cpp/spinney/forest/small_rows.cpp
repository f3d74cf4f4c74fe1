#include "spinney/forest/small_rows.hpp"

#include <algorithm>
#include <numeric>

#include "spinney/parallel.hpp"
#include "spinney/random.hpp"

namespace spinney {

namespace {

/// Kept rows in the order of the leaves of a tree, and the place of each.
struct LeafOrder {
  std::vector<std::size_t> row, place;

  LeafOrder(const std::vector<NodeId>& leaf, std::size_t n_nodes) : row(leaf.size()), place(leaf.size()) {
    std::vector<std::size_t> begin(n_nodes + 1);
    for (const NodeId node : leaf) ++begin[static_cast<std::size_t>(node) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (std::size_t slot = 0; slot < leaf.size(); ++slot) {
      place[slot] = begin[static_cast<std::size_t>(leaf[slot])]++;
      row[place[slot]] = slot;
    }
  }
  /// The row so many places further up or down, or the last one there.
  std::size_t near(std::size_t slot, std::size_t step, bool up) const {
    const std::size_t at = place[slot];
    return row[up ? std::min(at + step, row.size() - 1) : at - std::min(at, step)];
  }
};

void mix(const double* base, const double* mate, std::size_t n_columns, int halvings, RandomStream& random,
         double* out) {
  std::uint64_t bits = 0;
  for (std::size_t c = 0; c < n_columns; ++c, bits >>= 1) {
    if (c % 64 == 0) {
      bits = random.next();
      for (int i = 1; i < halvings; ++i) bits &= random.next();
    }
    out[c] = (bits & 1) != 0 ? mate[c] : base[c];
  }
}

}  // namespace

OwnRows NearRows::draw(std::size_t n, ThreadTeam& team, Interrupt& interrupt) const {
  const std::size_t n_kept = kept.table.n, n_columns = kept.table.n_columns;
  OwnRows out{n, n_columns, std::vector<double>(n * n_columns)};
  std::vector<double> upto;
  double total = 0.0;
  for (const RowIndex row : kept.row) upto.push_back(total += target.weight[row]);
  team.run(std::min(trees.size(), n), [&](std::size_t turn, std::size_t) {
    interrupt.check();
    const std::size_t tree = trees[turn];
    const LeafOrder order(kept.leaf[tree], forest.member(tree).tree.n_nodes());
    for (std::size_t row = turn; row < n; row += trees.size()) {
      RandomStream random(seed, row);
      const auto found = std::upper_bound(upto.begin(), upto.end(), random.uniform() * total);
      const std::size_t base = std::min<std::size_t>(static_cast<std::size_t>(found - upto.begin()), n_kept - 1);
      const std::size_t step = 1 + random.below(reach);
      const std::size_t mate = order.near(base, step, random.below(2) == 1);
      const double* const rows = kept.table.value.data();
      mix(rows + base * n_columns, rows + mate * n_columns, n_columns, halvings, random,
          out.value.data() + row * n_columns);
    }
  });
  return out;
}

}  // namespace spinney
