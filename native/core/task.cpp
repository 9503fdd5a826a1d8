#include "core/task.hpp"
