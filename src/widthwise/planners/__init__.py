"""The algorithms, one short file each."""
