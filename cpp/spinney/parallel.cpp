#include "spinney/parallel.hpp"

#include <chrono>
#include <system_error>

namespace spinney {

ThreadTeam::ThreadTeam(std::size_t n_threads, Interrupt* interrupt) : interrupt_(interrupt) {
  try {
    for (std::size_t worker = 1; worker < n_threads; ++worker) {
      workers_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are will do, as their number changes no result.
  }
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
}

void ThreadTeam::run(std::size_t n_tasks, const Task& task) {
  if (workers_.empty() || n_tasks < 2) {
    for (std::size_t i = 0; i < n_tasks; ++i) task(i, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    n_tasks_ = n_tasks;
    next_ = 0;
    failure_ = nullptr;
    busy_ = size();
    ++round_;
  }
  wake_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  while (!done_.wait_for(lock, std::chrono::milliseconds(20), [this] { return busy_ == 0; })) {
    if (interrupt_ == nullptr) continue;
    lock.unlock();
    interrupt_->ask();  // may need the host's lock: never while holding ours
    lock.lock();
  }
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadTeam::serve(std::size_t worker) {
  std::size_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return closing_ || round_ != seen; });
      if (closing_) return;
      seen = round_;
    }
    work(worker);
  }
}

void ThreadTeam::work(std::size_t worker) {
  for (;;) {
    std::size_t index = 0;
    {
      const std::lock_guard lock(mutex_);
      if (next_ == n_tasks_) {
        if (--busy_ == 0) done_.notify_all();
        return;
      }
      index = next_++;
    }
    try {
      (*task_)(index, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || index < failed_task_) {
        failure_ = std::current_exception();
        failed_task_ = index;
      }
      next_ = n_tasks_;
    }
  }
}

}  // namespace spinney
