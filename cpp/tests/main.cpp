#include "check.hpp"

int main() {
  int failed = 0;
  for (const auto& test : check::cases()) {
    const int before = check::failures();
    try {
      test.body();
    } catch (const std::exception& error) {
      check::report(false, error.what(), test.name.c_str(), 0);
    }
    if (check::failures() > before) {
      ++failed;
      std::cerr << "FAILED " << test.name << "\n";
    }
  }
  std::cout << check::cases().size() - static_cast<std::size_t>(failed) << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
