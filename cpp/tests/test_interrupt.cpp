#include <chrono>
#include <thread>

#include "check.hpp"
#include "spinney/parallel.hpp"

using namespace spinney;

TEST(a_stop_that_was_told_while_others_were_waited_for_is_obeyed_in_the_end) {
  Interrupt interrupt([] { return true; });
  ThreadTeam team(2, &interrupt);
  const auto start = std::chrono::steady_clock::now();
  team.run(2, [&](std::size_t, std::size_t worker) {  // nobody asks while there is work
    if (worker == 1) std::this_thread::sleep_until(start + std::chrono::milliseconds(200));
    while (worker == 0 && std::chrono::steady_clock::now() < start + std::chrono::milliseconds(60))
      std::this_thread::yield();
  });
  bool stopped = false;
  try {
    interrupt.obey();
  } catch (const Interrupted&) {
    stopped = true;
  }
  CHECK(stopped);
}
