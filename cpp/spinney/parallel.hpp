#pragma once
// Threads that live as long as one core call. Tasks write to places of their own, so that their number and
// order never change a result.

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "spinney/interrupt.hpp"

namespace spinney {

/// Has the system give this thread the data that exceptions need, while there is memory for them.
void take_thread_data();

/// Numbers to look at before threads are worth waking, and before they are worth starting.
inline constexpr std::size_t kParallelWork = 1 << 15;

/// A thread that is waited for where it ends its life; std::jthread is missing from some libraries.
class JoinedThread {
 public:
  template <class Work>
  explicit JoinedThread(Work&& work) : thread_(std::forward<Work>(work)) {}
  JoinedThread(JoinedThread&&) = default;
  ~JoinedThread() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

class ThreadTeam {
 public:
  /// task(index, worker): worker is in [0, size()), for scratch memory of its own.
  using Task = std::function<void(std::size_t, std::size_t)>;

  /// interrupt, if given, is asked while the caller waits for the others.
  explicit ThreadTeam(std::size_t n_threads, Interrupt* interrupt = nullptr);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  /// Runs task for 0 .. n_tasks - 1; the caller works too, as worker 0. Rethrows the failure of the lowest task.
  void run(std::size_t n_tasks, const Task& task);
  /// The same, but without waking anybody if the work is not worth it.
  template <class AnyTask>
  void run_if(bool worth_it, std::size_t n_tasks, const AnyTask& task) {
    if (worth_it && size() > 1) return run(n_tasks, task);
    for (std::size_t i = 0; i < n_tasks; ++i) task(i, 0);
  }

 private:
  void add_worker();
  void serve(std::size_t worker);
  void work(std::size_t worker);

  Interrupt* interrupt_;
  std::mutex mutex_;
  std::condition_variable started_, wake_, done_;
  std::size_t round_ = 0, busy_ = 0, next_ = 0, n_tasks_ = 0;
  std::size_t n_started_ = 0;
  bool closing_ = false;
  const Task* task_ = nullptr;
  std::exception_ptr failure_;
  std::size_t failed_task_ = 0;
  std::vector<JoinedThread> workers_;  // last: they end before what they use
};

}  // namespace spinney
