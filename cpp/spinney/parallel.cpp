#include "spinney/parallel.hpp"

#include <chrono>
#include <memory>
#include <new>
#include <system_error>

namespace spinney {

void take_thread_data() {
  volatile int count = std::uncaught_exceptions();  // asks for the data; the number does not matter
  static_cast<void>(count);
}

namespace {

/// Memory that nobody else gets until it is given back.
std::unique_ptr<std::byte[]> set_aside(std::size_t n_bytes) {
  auto memory = std::make_unique_for_overwrite<std::byte[]>(n_bytes);
  *const_cast<volatile std::byte*>(memory.get()) = std::byte{0};  // or compilers leave it out
  return memory;
}

}  // namespace

ThreadTeam::ThreadTeam(std::size_t n_threads, Interrupt* interrupt) : interrupt_(interrupt) {
  take_thread_data();
  if (n_threads < 2) return;
  try {
    constexpr std::size_t kForWork = 64U << 20;  // as the stacks of many threads may be all that there is
    const auto for_work = set_aside(kForWork);
    while (size() < n_threads) add_worker();
  } catch (const std::system_error&) {
    // The system gives no more threads: those there are will do, as their number changes no result.
  } catch (const std::bad_alloc&) {
    // No memory for one more that would be left for the work: likewise.
  }
}

/// A thread gets data of its own when it first needs them, to throw something for example. Where there is no memory for
/// them then, the system ends the process. So each thread gets them as it starts, before any work takes memory, and
/// from what was set aside while its stack was made. Nothing helps if another thread of the host takes that meanwhile.
void ThreadTeam::add_worker() {
  constexpr std::size_t kForData = 4U << 20;  // more than allocators ask the system for at a time
  std::unique_lock lock(mutex_);
  auto for_data = set_aside(kForData);
  workers_.emplace_back([this, worker = size()] { serve(worker); });
  for_data.reset();
  started_.wait(lock, [this] { return n_started_ == workers_.size(); });
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
  {
    const std::lock_guard lock(mutex_);  // given when what was set aside is free again
    take_thread_data();
    ++n_started_;
  }
  started_.notify_one();
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
