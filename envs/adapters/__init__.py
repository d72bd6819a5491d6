"""The games in the form that other libraries ask for. Each module needs its library, and is imported by those who use it:

``sb3``: stable-baselines3 and sb3-contrib. ``torchrl``, ``tianshou``, ``agilerl``, ``rllib``, ``openspiel``: the libraries of these names.
"""
