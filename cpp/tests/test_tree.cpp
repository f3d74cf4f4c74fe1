#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "spinney/tree/lists.hpp"
#include "spinney/tree/narrow.hpp"

using namespace spinney;

namespace {

/// Bytes that each of some numbers takes.
template <class Numbers>
std::size_t width(const Numbers& numbers) {
  return numbers.visit([](const auto& kept) { return sizeof(kept[0]); });
}

}  // namespace

TEST(whole_numbers_take_the_bytes_that_the_largest_needs) {
  NarrowNumbers numbers;
  const std::vector<std::int32_t> all = {0, 255, 256, 65535, 65536, -1, std::numeric_limits<std::int32_t>::max()};
  const std::vector<std::size_t> widths = {1, 1, 2, 2, 4, 4, 4};
  for (std::size_t i = 0; i < all.size(); ++i) {
    numbers.push_back(all[i]);
    CHECK(width(numbers) == widths[i]);
  }
  CHECK(numbers.wide() == all);
  CHECK(width(NarrowNumbers(std::vector<std::int32_t>{3, -1})) == 4);
  numbers.assign_zeros(3);
  numbers.set(1, 300);
  CHECK((numbers.wide() == std::vector<std::int32_t>{0, 300, 0}) && width(numbers) == 2);
}

TEST(reals_are_kept_to_the_last_bit) {
  const double single = 0.1F, large = 1e300, whole = 16777217.0;  // the last has no float
  const std::vector<std::pair<double, std::size_t>> cases = {
      {7.0, 1},    {255.0, 1}, {256.0, 2}, {65535.0, 2}, {65536.0, 4},   {0.5, 4},  {-1.0, 4},      {-0.0, 4},
      {single, 4}, {0.1, 8},   {large, 8}, {whole, 8},   {kInfinity, 8}, {kNaN, 8}, {-kInfinity, 8}};
  for (const auto& [number, bytes] : cases) {
    NarrowReals numbers;
    numbers.push_back(3.0);
    numbers.push_back(number);
    CHECK(width(numbers) == bytes);
    CHECK(same_bits(numbers[1], number) && numbers[0] == 3.0);
  }
}

TEST(lists_take_room_when_one_of_them_holds_something) {
  Lists lists;
  lists.close(0);
  lists.close(0);
  CHECK(lists == Lists(2) && lists.cover(2, 0) && !lists.cover(3, 0) && !lists.cover(2, 1));
  lists.close(5);
  lists.close(5);
  CHECK((lists.offsets() == std::vector<std::int64_t>{0, 0, 0, 5, 5}) && lists.cover(4, 5) && !lists.cover(4, 6));
  CHECK(lists.length(1) == 0 && lists.begin(2) == 0 && lists.end(2) == 5 && lists.length(3) == 0);
  CHECK(Lists::from(lists.offsets(), 5) == lists);
  bool refused = false;
  try {
    lists.close(std::size_t{1} << 32);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(offsets_that_are_none_are_refused) {
  for (const std::vector<std::int64_t>& offsets :
       std::vector<std::vector<std::int64_t>>{{}, {1, 4}, {0, 3, 2, 4}, {0, 5}, {0, -1, 4}, {0, 3}}) {
    CHECK(!Lists::from(offsets, 4).has_value());
  }
  CHECK(Lists::from(std::vector<std::int64_t>{0, 4}, 4).has_value());
}
