"""Long searches without acting: from the initial state to the best trajectory, over an archive of high-level states."""
