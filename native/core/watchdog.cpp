#include "core/watchdog.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace widthwise {

namespace {

constexpr auto kLook = std::chrono::milliseconds(50);
constexpr double kAfterDeadline = 0.2;  // a call that respects its limit ends first
constexpr std::array<const char*, 6> kCalls = {
    "reset", "step", "save()", "load()", "a feature function", "creating the environment"};

void write_all(int file, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const auto wrote = ::write(file, text.data() + done, text.size() - done);
        if (wrote <= 0) return;
        done += static_cast<std::size_t>(wrote);
    }
}

}  // namespace

Watchdog::Watchdog(double seconds, double deadline, double grace, int signal, int exit_code)
    : seconds_(seconds),
      grace_(grace),
      deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(deadline + kAfterDeadline))),
      signal_(signal),
      exit_code_(exit_code),
      watched_(pthread_self()),
      thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
    stop();
}

void Watchdog::stop() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        done_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Watchdog::prepare(std::string name, std::string out, std::string draft, std::string line,
                       std::string path, std::string advice) {
    const std::lock_guard lock(mutex_);
    name_ = std::move(name);
    out_ = std::move(out);
    draft_ = std::move(draft);
    line_ = std::move(line);
    path_ = std::move(path);
    advice_ = std::move(advice);
}

void Watchdog::watch() {
    sigset_t all;  // signals are for the threads of the program
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::uint64_t seen = 0;
    auto since = Clock::now(), signalled = since;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [this] { return done_; })) {
        const auto calls = calls_.load(std::memory_order_acquire);
        const auto now = Clock::now();
        if (calls != seen) {
            seen = calls;
            since = now;
        }
        if (calls % 2 == 0) continue;
        if (expired_.load() != calls) {
            const bool late = std::chrono::duration<double>(now - since).count() > seconds_;
            if (!late && now < deadline_) continue;
            expired_ = calls;
            signalled = now;
            pthread_kill(watched_, signal_);
        } else if (exit_code_ > 0 && std::chrono::duration<double>(now - signalled).count() > grace_) {
            end();
        }
    }
}

void Watchdog::end() {
    const auto kind = static_cast<std::size_t>(kind_.load()) % kCalls.size();
    std::string text = "widthwise: ";
    text.append(name_).append(": ").append(kCalls[kind]);
    if (kind == 1) {
        text.append(" ").append(std::to_string(step_.load()));
        text.append(" (action ").append(std::to_string(action_.load())).append(")");
    }
    text += " did not return in time and cannot be interrupted; the process ends\n";
    if (!advice_.empty()) text.append("  ").append(advice_).append("\n");
    if (!draft_.empty()) {
        const int file = ::open(draft_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        if (file >= 0) {
            write_all(file, line_);
            ::close(file);
            if (std::rename(draft_.c_str(), path_.c_str()) != 0)
                text.append("the record is in ").append(draft_).append("\n");
        }
    }
    write_all(STDOUT_FILENO, out_);
    write_all(STDERR_FILENO, text);
    ::_exit(exit_code_);
}

}  // namespace widthwise
