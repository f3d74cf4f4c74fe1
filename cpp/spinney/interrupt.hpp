#pragma once
// Long work asks now and then whether it should stop: the host (a Ctrl-C in Python) decides.

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>

namespace spinney {

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// check() is cheap and may be called from any thread; only the owning thread asks the host, at most every 50 ms.
class Interrupt {
 public:
  using Poll = std::function<bool()>;  // true: stop
  Interrupt() = default;
  explicit Interrupt(Poll poll) : poll_(std::move(poll)) {}

  void check_owner() {
    if (poll_) {
      const auto now = std::chrono::steady_clock::now();
      if (now - last_ >= std::chrono::milliseconds(50)) {
        last_ = now;
        if (poll_()) requested_ = true;
      }
    }
    check();
  }
  void check() const {
    if (requested_.load(std::memory_order_relaxed)) throw Interrupted();
  }

 private:
  Poll poll_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> requested_ = false;
};

}  // namespace spinney
