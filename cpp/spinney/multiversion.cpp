#include "spinney/multiversion.hpp"

#include <cstdlib>
#include <string_view>

namespace spinney {

namespace {

Instructions find_instructions() {
  Instructions found;
#ifdef SPINNEY_HAS_VERSIONS
  const char* const asked = std::getenv("SPINNEY_INSTRUCTIONS");
  const std::string_view most = asked ? asked : "";
  if (most == "plain") return found;
  __builtin_cpu_init();
  found.avx2 = __builtin_cpu_supports("avx2") != 0;
  if (most == "avx2") return found;
  found.avx512 = found.avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512bitalg") &&
                 __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
#endif
  return found;
}

}  // namespace

const Instructions kInstructions = find_instructions();

}  // namespace spinney
