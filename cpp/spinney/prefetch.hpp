#pragma once

namespace spinney {

/// Asks for memory that will be read soon, where the compiler has a word for it.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

}  // namespace spinney
