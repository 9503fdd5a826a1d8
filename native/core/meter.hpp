// What a run may use, and what it has used: seconds, bytes, and whether it was asked to stop.
//
// One meter is shared by everything that works on one job (reading, grounding, every level of a search), so
// that a limit is one limit. Kernels charge memory before they take it and call `poll` often; `poll` looks at
// the clock and at the outside (signals) only when enough time has passed, so it may be called in inner loops
// every few hundred nodes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

namespace widthwise {

enum class Halt : std::uint8_t { none, time, memory, interrupted };

// Thrown where the meter says that the work has to end and there is no result to return half of.
struct Halted {
    Halt why;
};

class Meter {
public:
    using Clock = std::chrono::steady_clock;

    // `outside` is asked about ten times a second whether to stop; it may be empty.
    Meter(double max_seconds, std::uint64_t max_bytes, std::function<bool()> outside)
        : start_(Clock::now()),
          max_seconds_(max_seconds),
          max_bytes_(max_bytes),
          outside_(std::move(outside)) {}

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t peak_bytes() const { return peak_bytes_; }
    std::uint64_t max_bytes() const { return max_bytes_; }
    std::uint64_t free_bytes() const { return max_bytes_ > bytes_ ? max_bytes_ - bytes_ : 0; }
    double max_seconds() const { return max_seconds_; }

    // Asks for memory before it is taken. False, and nothing charged, when the limit would be passed.
    bool charge(std::uint64_t bytes) {
        if (bytes > free_bytes()) return false;
        bytes_ += bytes;
        if (bytes_ > peak_bytes_) peak_bytes_ = bytes_;
        return true;
    }
    void release(std::uint64_t bytes) { bytes_ -= bytes < bytes_ ? bytes : bytes_; }

    void interrupt() { interrupted_ = true; }
    // Whether the outside asked to stop, and not the owner of the meter by `interrupt`.
    bool signalled() const { return signalled_; }

    // Why to stop now, if at all.
    Halt poll() {
        if (interrupted_) return Halt::interrupted;
        const double now = seconds();
        if (now > max_seconds_) return Halt::time;
        if (outside_ && now >= next_look_) {
            next_look_ = now + 0.02;
            if (outside_()) {
                signalled_ = interrupted_ = true;
                return Halt::interrupted;
            }
        }
        return Halt::none;
    }

private:
    Clock::time_point start_;
    double max_seconds_;
    std::uint64_t max_bytes_;
    std::function<bool()> outside_;
    std::uint64_t bytes_ = 0;
    std::uint64_t peak_bytes_ = 0;
    double next_look_ = 0.0;
    std::atomic<bool> signalled_ = false;
    std::atomic<bool> interrupted_ = false;  // the one thing another thread may change while a kernel works
};

// Memory charged for as long as this lives: for what is taken on the way to a result. Without a meter it does
// nothing; throws `Halted` when the limit forbids it.
class Charge {
public:
    Charge(Meter* meter, std::uint64_t bytes) : meter_(meter), bytes_(bytes) {
        if (meter_ != nullptr && !meter_->charge(bytes_)) throw Halted{Halt::memory};
    }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;
    ~Charge() {
        if (meter_ != nullptr) meter_->release(bytes_);
    }

private:
    Meter* meter_;
    std::uint64_t bytes_;
};

}  // namespace widthwise
