"""boardherd-bench-v1: fixed openings, opponents, dice and numbers of games, by which players are compared for years.

``bench.yaml`` is the benchmark; it never changes (``data.py`` checks that). ``openings.py`` made its openings, ``score.py`` plays it.
"""
