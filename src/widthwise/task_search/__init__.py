"""Searches on PDDL tasks: IW, HIW, IHIW and the searches for whole problems."""
