#pragma once
// Hot loops in two or three versions: the portable build carries others for AVX2 and AVX-512, and takes them where the
// machine has that. Floating-point contraction is off, so all give the same bits.

#if defined(__x86_64__) && defined(__GNUC__) && defined(SPINNEY_KNOWS_CPU)
#define SPINNEY_HAS_VERSIONS 1
#endif

namespace spinney {

/// What the machine has beyond its oldest instructions, or less if the environment variable SPINNEY_INSTRUCTIONS says
/// "plain" or "avx2" when the core is loaded. Results do not depend on it.
struct Instructions {
  bool avx2 = false;
  bool avx512 = false;  // with those that move bytes by a mask and count bits (BITALG, VBMI2, VPOPCNTDQ)
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
/// The same, with one for AVX-512: for loops that do nothing but arithmetic on numbers in the nearest cache.
#define SPINNEY_WIDE [[gnu::target("avx512f,avx512bw")]]
#define SPINNEY_THREE_VERSIONS(result, name, parameters, arguments)                              \
  [[gnu::always_inline]] static inline result name##_work parameters;                            \
  [[gnu::target("avx2")]] static result name##_avx2 parameters { return name##_work arguments; } \
  SPINNEY_WIDE static result name##_avx512 parameters { return name##_work arguments; }          \
  result name parameters {                                                                       \
    if (kInstructions.avx512) return name##_avx512 arguments;                                    \
    return kInstructions.avx2 ? name##_avx2 arguments : name##_work arguments;                   \
  }                                                                                              \
  [[gnu::always_inline]] static inline result name##_work parameters
#else
#define SPINNEY_TWO_VERSIONS(result, name, parameters, arguments) result name parameters
#define SPINNEY_THREE_VERSIONS(result, name, parameters, arguments) result name parameters
#endif
