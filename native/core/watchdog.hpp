// Watches calls that may never return: a thread of its own looks how long the call in hand has been under
// way.
//
// The first measure is a signal to the thread that is watched, so that code which can be interrupted is.
// Where that does not help (native code that holds the interpreter lock), the process is ended with an exit
// code, after a message and what was prepared to be saved. The thread needs no interpreter lock.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace widthwise {

class Watchdog {
public:
    using Clock = std::chrono::steady_clock;

    // `seconds` a call may take; `deadline` seconds from now no call may last longer than. `signal` is sent
    // to the thread that makes the watchdog. With an `exit_code` above 0 the process ends `grace` seconds
    // later.
    Watchdog(double seconds, double deadline, double grace, int signal, int exit_code);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // A call begins: what it is, the number of the step and the action, for the message.
    void enter(int kind, std::int64_t step, std::int64_t action) {
        step_.store(step, std::memory_order_relaxed);
        action_.store(action, std::memory_order_relaxed);
        kind_.store(kind, std::memory_order_relaxed);
        calls_.fetch_add(1, std::memory_order_release);  // odd: inside
    }
    void leave() {
        if (calls_.load(std::memory_order_relaxed) % 2 == 1) calls_.fetch_add(1, std::memory_order_release);
    }
    // Ends the watch; calls that begin later are not watched.
    void stop();
    // Whether the call in hand is the one that took too long.
    bool expired() const { return calls_.load() % 2 == 1 && expired_.load() == calls_.load(); }

    // What the process writes before it ends: to stderr (the name, and what to do next), to stdout, and to a
    // file that then gets its name.
    void prepare(std::string name, std::string out, std::string draft, std::string line, std::string path,
                 std::string advice);

private:
    void watch();
    void end();

    const double seconds_, grace_;
    const Clock::time_point deadline_;
    const int signal_, exit_code_;
    const pthread_t watched_;
    std::atomic<std::uint64_t> calls_ = 0, expired_ = 0;
    std::atomic<std::int64_t> step_ = 0, action_ = 0;
    std::atomic<int> kind_ = 0;
    std::mutex mutex_;  // of what is prepared, and of the end
    std::condition_variable changed_;
    bool done_ = false;
    std::string name_, out_, draft_, line_, path_, advice_;
    std::thread thread_;
};

}  // namespace widthwise
