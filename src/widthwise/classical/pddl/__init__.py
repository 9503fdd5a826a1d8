"""The PDDL reader: lexer, parser, syntax tree with places, checks and normal form."""
