// Releasing and taking the interpreter lock in a way that is safe while the interpreter ends.
//
// A daemon thread that asks for the lock during finalisation is ended by Python with pthread_exit. That
// unwinds its C++ frames, of which some are noexcept, so the process aborts. A hook that runs at exit, before
// finalisation, therefore sets a flag. A thread that meets the flag in a kernel, or on its way into or out of
// one, sleeps until the process ends and never asks for the lock again.
#pragma once

#include <nanobind/nanobind.h>

// The lock is released while this lives: for kernels that may run long.
class Unlocked {
public:
    Unlocked();
    ~Unlocked();
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    PyThreadState* state_;
};

// The lock is held while this lives: for Python code that a kernel calls.
class Locked {
public:
    Locked();
    ~Locked();
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    const bool released_before_;
    PyGILState_STATE state_;
};
