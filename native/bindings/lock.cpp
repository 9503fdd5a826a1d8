#include "bindings/lock.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/bindings.hpp"

namespace nb = nanobind;

namespace {

using Clock = std::chrono::steady_clock;

// There is one interpreter in the process and it ends once, so this is one per process, too.
struct Exit {
    std::atomic<bool> begun = false;
    std::atomic<std::thread::id> main;  // the thread that runs the hooks; it continues to work
    std::atomic<int> working = 0;       // threads inside kernels, each counted as often as it has entered one
};

Exit& exit_state() {
    static Exit state;
    return state;
}

thread_local int depth = 0;  // kernels that this thread is inside of
// Whether this thread has given the lock away. Python's own answer is not part of its stable ABI.
thread_local bool released = false;

// How long the end of the interpreter waits for kernels that have not asked their meter yet.
constexpr auto kPatience = std::chrono::seconds(5);

// Ends this thread's work if the interpreter ends and this is not the thread that ends it.
void stay_if_exiting() {
    Exit& state = exit_state();
    if (!state.begun || state.main.load() == std::this_thread::get_id()) return;
    state.working -= depth;
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void stop_kernels() {
    Exit& state = exit_state();
    state.main = std::this_thread::get_id();
    state.begun = true;
    PyThreadState* const saved = PyEval_SaveThread();
    const auto until = Clock::now() + kPatience;
    while (state.working > depth && Clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    PyEval_RestoreThread(saved);
}

}  // namespace

Unlocked::Unlocked() : state_(PyEval_SaveThread()) {
    released = true;
    ++depth;
    ++exit_state().working;
    stay_if_exiting();
}

Unlocked::~Unlocked() {
    stay_if_exiting();
    PyEval_RestoreThread(state_);
    released = false;
    --exit_state().working;
    --depth;
}

Locked::Locked() : released_before_(released) {
    if (released) stay_if_exiting();  // a thread that holds the lock must not sleep with it
    state_ = PyGILState_Ensure();
    released = false;
}

Locked::~Locked() {
    released = released_before_;
    PyGILState_Release(state_);
}

void bind_lock(nb::module_&) {
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&stop_kernels));
    // Of the threads of a process, its fork has only the one that forked.
    nb::module_::import_("os").attr("register_at_fork")(
        nb::arg("after_in_child") = nb::cpp_function([] { exit_state().working = depth; }));
}
