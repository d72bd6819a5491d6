"""Berd (Michael Mikaelian, 2016): 2 to 16 players race towers of tokens round a path and carry home what they captured."""
