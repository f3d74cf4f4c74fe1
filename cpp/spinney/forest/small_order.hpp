#pragma once
// Orders of trees from the literature of pruned bagging, by what trees answer for training rows that they did not see.

#include "spinney/forest/small_teacher.hpp"

namespace spinney {

/// Places among the candidates, in the order of choice, at most so many. Not for Order::pool.
std::vector<std::size_t> ordered(const TreePool& pool, const KeptRows& kept, const Teacher& teacher,
                                 std::span<const std::size_t> candidate, Order order, std::size_t most,
                                 ThreadTeam& team, Interrupt& interrupt);

}  // namespace spinney
