#pragma once
// Four numbers that are worked on together, one of each of four rows. Compilers have such a type of their own, which
// becomes one instruction on machines that have it, and several elsewhere, with the same results.

#include <cstddef>
#include <cstdint>

namespace spinney {

#define SPINNEY_INLINED [[gnu::always_inline]] inline

inline constexpr std::size_t kRowLanes = 4;

// Aligned as a number: who allocates them may not know of the instructions that load them. They never pass a function
// that is not inlined.
// A typedef: of an alias clang takes the size, but not the alignment.
typedef double Four __attribute__((vector_size(kRowLanes * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef std::int64_t FourMasks
    __attribute__((vector_size(kRowLanes * sizeof(double)), aligned(sizeof(double)), may_alias));

/// 1.0 where a comparison holds, else 0.0.
#define SPINNEY_ONE_WHERE(mask) reinterpret_cast<Four>((mask) & FourMasks{kOneBits, kOneBits, kOneBits, kOneBits})
inline constexpr std::int64_t kOneBits = 0x3ff0000000000000;

}  // namespace spinney
