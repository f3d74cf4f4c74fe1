#pragma once
// The smallest test runner that will do: TEST(name) { CHECK(...); }.

#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace check {

struct Case {
  std::string name;
  std::function<void()> body;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
inline int& failures() {
  static int count = 0;
  return count;
}
struct Register {
  Register(std::string name, std::function<void()> body) { cases().push_back({std::move(name), std::move(body)}); }
};
inline void report(bool ok, const char* what, const char* file, int line) {
  if (ok) return;
  ++failures();
  std::cerr << file << ":" << line << ": not so: " << what << "\n";
}
inline bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

}  // namespace check

#define TEST(name)                                           \
  static void name();                                        \
  static const check::Register register_##name(#name, name); \
  static void name()
#define CHECK(condition) check::report((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(a, b) check::report(check::near((a), (b)), #a " == " #b, __FILE__, __LINE__)
