"""What the paper proves: bounds on novel states and splitting features."""
