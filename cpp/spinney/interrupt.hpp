#pragma once
// Long work asks now and then whether it should stop: the host (a Ctrl-C in Python) decides.

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

namespace spinney {

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// check() is cheap and may be called from any thread; the thread that made the object asks the host, at most
/// every 50 ms, and the others see what it was told.
class Interrupt {
 public:
  using Poll = std::function<bool()>;  // true: stop
  Interrupt() = default;
  explicit Interrupt(Poll poll) : poll_(std::move(poll)) {}

  /// Asks the host if it is time to, without throwing.
  void ask() {
    if (!poll_ || std::this_thread::get_id() != owner_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    if (poll_()) requested_ = true;
  }
  void check() {
    ask();
    obey();
  }
  /// Stops if the host has said so, without asking again.
  void obey() const {
    if (requested_.load(std::memory_order_relaxed)) throw Interrupted();
  }

 private:
  Poll poll_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> requested_ = false;
};

}  // namespace spinney
