// The meter, rows, and the watchdog.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "core/meter.hpp"
#include "core/rows.hpp"
#include "core/watchdog.hpp"
#include "tests/support.hpp"

using namespace widthwise;
using namespace widthwise::tests;

TEST_CASE("the meter grants memory up to its limit, and remembers the peak") {
    Meter meter(kForever, 100, {});
    CHECK(meter.charge(60));
    CHECK_FALSE(meter.charge(41));
    CHECK(meter.bytes() == 60);
    CHECK(meter.charge(40));
    CHECK(meter.free_bytes() == 0);
    meter.release(70);
    CHECK(meter.bytes() == 30);
    CHECK(meter.peak_bytes() == 100);
    meter.release(1000);
    CHECK(meter.bytes() == 0);
}

TEST_CASE("a charge ends with its scope, and throws where the limit forbids it") {
    Meter meter(kForever, 100, {});
    {
        const Charge charge(&meter, 80);
        CHECK(meter.bytes() == 80);
        CHECK_THROWS_AS(Charge(&meter, 21), Halted);
        CHECK(meter.bytes() == 80);
    }
    CHECK(meter.bytes() == 0);
    CHECK_NOTHROW(Charge(nullptr, 1'000'000));
}

TEST_CASE("the meter says why to stop") {
    CHECK(Meter(kForever, 1, {}).poll() == Halt::none);
    CHECK(Meter(-1.0, 1, {}).poll() == Halt::time);
    Meter interrupted(kForever, 1, {});
    interrupted.interrupt();
    CHECK(interrupted.poll() == Halt::interrupted);
    CHECK_FALSE(interrupted.signalled());
    Meter outside(kForever, 1, [] { return true; });
    CHECK(outside.poll() == Halt::interrupted);
    CHECK(outside.signalled());
}

TEST_CASE("rows keep what was appended") {
    Rows rows;
    rows.append(Ids{3, 1});
    rows.append({});
    rows.append(Ids{7});
    REQUIRE(rows.size() == 3);
    CHECK(Ids(rows[0].begin(), rows[0].end()) == Ids{3, 1});
    CHECK(rows[1].empty());
    CHECK(rows.begin_of(2) == 2);
    CHECK(rows.item(2) == 7);
    CHECK(rows.item_count() == 3);
    rows.shrink();
    CHECK(rows[2].front() == 7);
}

namespace {

volatile std::sig_atomic_t signals = 0;

void count_signal(int) {
    signals = signals + 1;
}

// Installs a handler for as long as it lives.
class Handler {
public:
    Handler() {
        struct sigaction action = {};
        action.sa_handler = count_signal;
        sigaction(SIGUSR1, &action, &before_);
        signals = 0;
    }
    ~Handler() { sigaction(SIGUSR1, &before_, nullptr); }
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;

private:
    struct sigaction before_ = {};
};

// Waits, up to a minute, until a condition holds.
template <class Condition>
bool wait_for(Condition&& condition) {
    for (int turn = 0; turn < 6000 && !condition(); ++turn)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
}

}  // namespace

TEST_CASE("the watchdog signals the thread whose call takes too long, once") {
    const Handler handler;
    Watchdog watchdog(0.0, 3600.0, 3600.0, SIGUSR1, 0);
    watchdog.enter(1, 5, 2);
    CHECK(wait_for([&] { return watchdog.expired(); }));
    CHECK(wait_for([] { return signals == 1; }));
    watchdog.leave();
    CHECK_FALSE(watchdog.expired());
    watchdog.stop();
    CHECK(signals == 1);
}

TEST_CASE("the watchdog signals a call that outlasts the deadline") {
    const Handler handler;
    Watchdog watchdog(3600.0, -1.0, 3600.0, SIGUSR1, 0);
    watchdog.enter(0, 0, 0);
    CHECK(wait_for([] { return signals == 1; }));
    watchdog.leave();
}

TEST_CASE("the watchdog lets calls pass that return in time, and what happens between calls") {
    const Handler handler;
    Watchdog watchdog(3600.0, 3600.0, 3600.0, SIGUSR1, 0);
    for (int call = 0; call < 100; ++call) {
        watchdog.enter(1, call, 0);
        watchdog.leave();
    }
    watchdog.leave();  // without a call: nothing happens
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    CHECK_FALSE(watchdog.expired());
    CHECK(signals == 0);
    watchdog.stop();
    watchdog.enter(1, 0, 0);  // after the end: not watched
    CHECK_FALSE(watchdog.expired());
}

TEST_CASE("time between calls does not count") {
    const Handler handler;
    Watchdog watchdog(0.0, 3600.0, 3600.0, SIGUSR1, 0);
    watchdog.enter(0, 0, 0);
    watchdog.leave();
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    CHECK(signals == 0);
}

// A thread sanitizer cannot follow a fork of a process with threads.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a call that cannot be interrupted ends the process, after what was prepared is written") {
    std::string folder = "/tmp/widthwise-watchdog-XXXXXX";
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    const std::string draft = folder + "/draft", path = folder + "/record";
    std::ofstream(draft) << "first\n";
    std::array<int, 2> out{}, err{};
    REQUIRE(pipe(out.data()) == 0);
    REQUIRE(pipe(err.data()) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        signal(SIGUSR1, SIG_IGN);
        Watchdog watchdog(0.0, 3600.0, 0.0, SIGUSR1, 23);
        watchdog.prepare("maze", "a plan\n", draft, "last\n", path, "Try again.");
        watchdog.enter(1, 7, 3);
        for (;;) pause();
    }
    close(out[1]);
    close(err[1]);
    const auto read_all = [](int file) {
        std::string text;
        std::array<char, 256> part{};
        for (ssize_t size; (size = read(file, part.data(), part.size())) > 0;)
            text.append(part.data(), static_cast<std::size_t>(size));
        close(file);
        return text;
    };
    const std::string written = read_all(out[0]), message = read_all(err[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 23);
    CHECK(written == "a plan\n");
    CHECK(message.find("maze: step 7 (action 3)") != std::string::npos);
    CHECK(message.find("Try again.") != std::string::npos);
    std::ostringstream record;
    record << std::ifstream(path).rdbuf();
    CHECK(record.str() == "first\nlast\n");
    CHECK(std::remove(path.c_str()) == 0);
    CHECK(rmdir(folder.c_str()) == 0);
}
#endif
