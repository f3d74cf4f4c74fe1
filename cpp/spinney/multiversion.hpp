#pragma once
// Hot loops in two versions: the portable build carries a second one for AVX2, and takes it where the machine has that.
// Floating-point contraction is off, so both give the same bits.

#if defined(__x86_64__) && defined(__GNUC__) && defined(SPINNEY_KNOWS_CPU)
#define SPINNEY_HAS_VERSIONS 1
#endif

namespace spinney {

/// What the machine has beyond its oldest instructions, or less if the environment variable SPINNEY_INSTRUCTIONS says
/// "plain" or "avx2" when the core is loaded. Results do not depend on it.
struct Instructions {
  bool avx2 = false;
  bool avx512 = false;  // with those that move bytes by a mask (BITALG, VBMI2)
};
extern const Instructions kInstructions;

}  // namespace spinney

/// Heads the definition of a function: SPINNEY_TWO_VERSIONS(int, twice, (int number), (number)) { return 2 * number; }
#ifdef SPINNEY_HAS_VERSIONS
#define SPINNEY_TWO_VERSIONS(result, name, parameters, arguments)                                       \
  [[gnu::always_inline]] static inline result name##_work parameters;                                   \
  [[gnu::target("avx2")]] static result name##_avx2 parameters { return name##_work arguments; }        \
  result name parameters { return kInstructions.avx2 ? name##_avx2 arguments : name##_work arguments; } \
  [[gnu::always_inline]] static inline result name##_work parameters
#else
#define SPINNEY_TWO_VERSIONS(result, name, parameters, arguments) result name parameters
#endif
