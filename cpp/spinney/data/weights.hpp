#pragma once
// What samples weigh, and the simplest form that their weights have.

#include <cstdint>
#include <vector>

#include "spinney/types.hpp"

namespace spinney {

/// The weights of samples, all positive. Sums of equal weights, and of multiples, are sums of whole numbers, which no
/// order of the samples can change.
struct SampleWeights {
  enum class Form : std::uint8_t {
    equal,      // all of them are the unit
    multiples,  // each is the unit so many times; the unit is the least of them
    real,
  };
  static constexpr std::uint8_t kMostTimes = 127;

  Form form = Form::equal;
  double unit = 1.0;                // of equal weights and of multiples
  std::vector<double> values;       // by sample
  std::vector<std::uint8_t> times;  // multiples: how many, up to kMostTimes

  SampleWeights() = default;
  /// Finds the form. Multiples are weights like any other where nobody would count them.
  explicit SampleWeights(std::vector<double> weights, bool count_multiples);

  std::size_t size() const { return values.size(); }
  bool is_equal() const { return form == Form::equal; }
  double operator[](SampleIndex s) const { return is_equal() ? unit : values[s]; }
  /// Parts a sample in two: it keeps so much of its weight, and a new one at the end gets the rest.
  void part(SampleIndex s, double share);

 private:
  void find_multiples();
};

}  // namespace spinney
