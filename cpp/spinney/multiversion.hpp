#pragma once
// Function multiversioning: the portable build carries a second copy of hot loops for AVX2 and picks at load time.
// Floating-point contraction is off, so both copies give the same bits.

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SPINNEY_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#else
#define SPINNEY_MULTIVERSION
#endif
