#pragma once
// A few trees that answer like many. A pool of trees of some kinds is shrunk and mixed by what it answers for rows that
// trees did not see; rows are drawn near the data; those trees are chosen whose mean is nearest to the pool's answers
// there, and their leaves are fitted to these answers together.

#include "spinney/forest/forest.hpp"
#include "spinney/forest/sampling.hpp"

namespace spinney {

/// By what trees are chosen: nearest to the answers of the pool, or by rows that they did not see.
enum class Order { pool, loss, margin, orientation };

struct SmallPlan {
  std::size_t n_trees = 25;       // at most
  std::size_t n_drawn = 4000;     // rows that leaves are fitted to
  double stop = -1.0;             // share by which the loss may be above that of all trees; below 0: take all
  std::uint64_t seed = 0;         // of the rows that are drawn
  std::vector<double> strengths;  // of shrinkage, to choose from
  std::size_t n_staying = 1;      // the first so many kinds of trees may stay, the others teach only
  std::uint64_t reach = 5;        // places in the order of the leaves, to a neighbour
  double prior_rows = 5.0;        // that hold a leaf back where it was
  int n_sweeps = 4;               // over the leaves
  int halvings = 1;               // a drawn row has a column of its neighbour with a chance of a half to this power
  double doubt = 0.0;             // rows weigh as the inverse of this and the pool's impurity there; 0: all alike
  Order order = Order::pool;
};

/// The trees to choose from.
struct TreePool {
  const Forest& forest;
  const std::vector<std::uint8_t>& kind;  // by member; every kind up to the last has one
  const Sampling& sampling;               // by which the rows of the members were drawn
  const Matrix& x;
  const Target& target;
};

struct SmallForest {
  Forest forest;                        // of chosen trees, in the order of choice
  std::vector<std::int64_t> chosen;     // their places in the pool
  std::vector<double> distance_chosen;  // mean squared distance from the pool with each of them, before any refit
  std::vector<double> strength;         // of the shrinkage, by kind
  std::vector<double> share;            // of each kind in the answers of the pool
  std::vector<double> kind_loss;        // of each kind alone for rows that trees of all kinds did not see
  double power = 1.0;                   // by which class probabilities of the pool are sharpened
  double pool_loss = kNaN;              // of the pool for these rows: Brier score, or squared error
  std::vector<std::int64_t> size;       // numbers of trees that were tried
  std::vector<double> distance;         // mean squared distance of so many from the pool, on rows that fitted nothing
};

SmallForest small_forest(const TreePool& pool, const SmallPlan& plan, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
