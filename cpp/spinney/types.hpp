#pragma once
// The small vocabulary of the core: fixed-width indices, kinds of column and of test.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace spinney {

using SampleIndex = std::uint32_t;  // a training row of positive weight, in target order
using RowIndex = std::uint32_t;     // a row of the table
using FeatureIndex = std::int32_t;
using NodeId = std::int32_t;
using ClassCode = std::int32_t;

inline constexpr NodeId kNoNode = -1;
inline constexpr std::int32_t kNoBranch = -1;  // a test that cannot be answered: value missing
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Whether two numbers are the same to the last bit: unlike ==, which takes 0.0 and -0.0 for one.
inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

enum class ColumnKind : std::uint8_t { numeric, ordered, nominal };
enum class TestKind : std::uint8_t { leaf, threshold, subset, multiway, expression };
enum class MissingRule : std::uint8_t { surrogate, majority, fractional, learned, category };

/// Whether tests place rows without a value by themselves, and count them in their gain.
inline bool places_gaps(MissingRule rule) { return rule == MissingRule::learned || rule == MissingRule::category; }

}  // namespace spinney
