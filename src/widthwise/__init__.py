"""Hierarchical width-based planning and learning."""
