// Bytes to trees, without a checksum in the way. The first byte says how they are read, the rest are the arrays of a
// forest in one run (cpp/spinney/file/frame.hpp). What is accepted must store to the same bytes and answer sanely;
// what is refused must say so by std::invalid_argument and nothing else.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "mutate.hpp"
#include "sound.hpp"
#include "spinney/file/codec.hpp"
#include "spinney/file/frame.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace spinney;
using spinney_fuzz::demand;
using spinney_fuzz::demand_tree;

// Bits of the first byte: what the arrays are read as. Large ones have the forest asked for many rows, now and then.
constexpr int kWithCategories = 1, kOneTree = 2, kFewerColumns = 4, kAskMany = 224;
constexpr std::int32_t kCategories = 4;         // of each column, where they are checked
constexpr std::size_t kMostFeatures = 64;       // that a vocabulary and cells are made for
constexpr std::size_t kFew = 11, kMany = 8200;  // many are routed in another way
constexpr double kCells[kFew] = {0.0, 1.0, 2.0, -1.0, 0.5, 1e300, -1e300, kInfinity, -kInfinity, kNaN, 1e9};

/// Cells column by column, with none behind the last. Very many columns are all the same one.
std::vector<double> cells_for(std::size_t n_columns, std::size_t n_rows) {
  std::vector<double> cells(std::min(std::max<std::size_t>(n_columns, 1), kMostFeatures) * n_rows);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = kCells[(i % n_rows + i / n_rows) % kFew];
  return cells;
}
Matrix matrix_of(const std::vector<double>& cells, std::size_t n_columns, std::size_t n_rows) {
  const bool all = n_columns * n_rows <= cells.size();
  return {cells.data(), 1, all ? static_cast<std::ptrdiff_t>(n_rows) : 0, n_rows, n_columns};
}

void demand_shares(const std::vector<double>& shares, std::size_t k, double total) {
  for (std::size_t at = 0; at < shares.size(); at += k) {
    double sum = 0.0;
    for (std::size_t c = at; c < at + k; ++c) {
      demand(std::isfinite(shares[c]) && shares[c] >= 0.0, "a share is negative or not finite");
      sum += shares[c];
    }
    demand(std::abs(sum - total) <= 1e-9 * total, "shares do not add up");
  }
}

void ask(const Forest& forest, std::size_t n_rows) {
  Interrupt interrupt;
  const Work work{1, interrupt};
  const std::vector<double> cells = cells_for(static_cast<std::size_t>(forest.n_features()), n_rows);
  const Matrix x = matrix_of(cells, static_cast<std::size_t>(forest.n_features()), n_rows);
  std::vector<std::int64_t> chosen(forest.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  std::vector<NodeId> leaf(n_rows * forest.size());
  forest.apply(x, leaf.data(), work);
  for (std::size_t i = 0; i < leaf.size(); ++i) {
    const PackedTree& tree = forest.member(i % forest.size()).tree;
    demand(leaf[i] >= 0 && static_cast<std::size_t>(leaf[i]) < tree.n_nodes(), "a leaf is no node");
    demand(tree.is_packed() ? tree.is_leaf(leaf[i]) : tree.tree().is_leaf(leaf[i]), "a row ends at an inner node");
  }
  const bool grouped = std::any_of(chosen.begin(), chosen.end(), [&](std::int64_t i) {
    return !forest.member(static_cast<std::size_t>(i)).groups.empty();
  });
  for (const Combine combine : {Combine::vote, Combine::average}) {
    std::vector<double> out(n_rows * forest.n_outputs(), 0.0);
    const std::vector<double> weights(forest.size(), 1.0 / static_cast<double>(forest.size()));
    forest.add_answers(chosen, weights, x, combine, out.data(), work);
    if (forest.n_classes() > 0 && !grouped) demand_shares(out, forest.n_outputs(), 1.0);
    for (const double v : out) demand(std::isfinite(v), "an answer is not finite");
  }
}

std::size_t n_features_of(const PartViews& parts) {
  const StoredView& stored = parts[place_of(Part::n_features)];
  return stored.size == 0 || is_real(stored.type) ? 0 : stored.at<std::uint32_t>(0);
}

void demand_codes(const Tree& tree, const std::vector<std::int32_t>& categories) {
  demand(categories.empty() || categories.size() == static_cast<std::size_t>(tree.n_features), "other columns");
  if (categories.empty()) return;
  for (const std::int32_t code : tree.tests.code.wide()) demand(code < kCategories, "a code is no category");
  for (const std::int32_t code : tree.surrogates.tests.code.wide()) demand(code < kCategories, "a code is no category");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const auto parts = from_frame(bytes);
  if (!parts) return 0;
  const std::size_t n = n_features_of(*parts);
  const bool with_categories = (data[0] & kWithCategories) != 0 && n > 0 && n <= kMostFeatures;
  const bool fewer = with_categories && (data[0] & kFewerColumns) != 0;
  const std::vector<std::int32_t> categories(with_categories ? n - (fewer ? 1 : 0) : 0, kCategories);
  ThreadTeam team(1);
  Interrupt interrupt;
  static const bool sound = std::getenv("SPINNEY_SOUND") != nullptr;  // what save wrote: no refusal is right
  try {
    if ((data[0] & kOneTree) != 0) {
      const Tree tree = restore_tree(*parts, categories);
      demand_tree(tree);
      demand_codes(tree, categories);
      const auto again = to_frame(store(tree));
      demand(std::equal(bytes.begin(), bytes.end(), again.begin(), again.end()), "a tree stores to other bytes");
      return 0;
    }
    const Forest forest = restore_forest(*parts, categories, interrupt);
    for (std::size_t i = 0; i < forest.size(); ++i) {
      const Tree tree = forest.member(i).tree.unpack();
      demand_tree(tree);
      demand_codes(tree, categories);
    }
    const auto again = to_frame(store(forest, team));
    demand(std::equal(bytes.begin(), bytes.end(), again.begin(), again.end()), "a forest stores to other bytes");
    const bool many = data[0] >= kAskMany && size % 64 == 0 && forest.n_outputs() < 64;
    if (forest.size() > 0) ask(forest, many ? kMany : kFew);
  } catch (const std::invalid_argument&) {
    demand(!sound, "what save wrote is refused");
  }
  return 0;
}

/// Mostly a change of one number or array, written down in the type that it needs; now and then of plain bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  spinney_fuzz::Random random(seed);
  if (size < 2 || random.below(12) == 0) return LLVMFuzzerMutate(data, size, max_size);
  return spinney_fuzz::mutate_frame(data, size, max_size, random);
}
