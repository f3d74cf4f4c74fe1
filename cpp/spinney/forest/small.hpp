#pragma once
// A few trees that answer like many. A pool of trees of two kinds, in turn, is shrunk and mixed by what it answers for
// rows that trees did not see; rows are drawn near the data; those trees are chosen whose mean is nearest to the pool's
// answers there, and their leaves are fitted to these answers together.

#include "spinney/forest/forest.hpp"
#include "spinney/forest/sampling.hpp"

namespace spinney {

struct SmallPlan {
  std::size_t n_trees = 25;       // at most
  std::size_t n_drawn = 4000;     // rows that leaves are fitted to
  double stop = -1.0;             // share by which the loss may be above that of all trees; below 0: take all
  std::uint64_t seed = 0;         // of the rows that are drawn
  std::vector<double> strengths;  // of shrinkage, to choose from
};

/// The trees to choose from: even members are of the first kind, odd ones of the second.
struct TreePool {
  const Forest& forest;
  const Sampling& sampling;  // by which the rows of the members were drawn
  const Matrix& x;
  const Target& target;
};

struct SmallForest {
  Forest forest;                           // of chosen trees, in the order of choice
  std::vector<std::int64_t> chosen;        // their places in the pool
  std::vector<double> distance_chosen;     // mean squared distance from the pool with each of them, before any refit
  std::vector<double> strength{0.0, 0.0};  // of the shrinkage, by kind
  double share = 1.0;                      // of the first kind in the answers of the pool
  double power = 1.0;                      // by which class probabilities of the pool are sharpened
  double pool_loss = kNaN;                 // of the pool for rows that trees did not see: Brier score, or squared error
  std::vector<std::int64_t> size;          // numbers of trees that were tried
  std::vector<double> distance;  // mean squared distance of so many from the pool, on rows that fitted nothing
};

SmallForest small_forest(const TreePool& pool, const SmallPlan& plan, ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
