"""The fuzzer: `python -m fuzzing --help` from the folder `tests`, or `make fuzz`.

A *target* draws inputs from a random generator and checks one. A check ends with the name of a documented outcome or
raises: whatever it raises is a *finding*. Mutations are written once, against `random.Random`; the fuzzer passes seeded
generators, Hypothesis passes generators that it can shrink (`tests/package/test_fuzzing.py`), and atheris passes bytes
that it chooses by coverage (`fuzzing.guided`).
"""
