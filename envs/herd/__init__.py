"""Herd (Mark Steere, 2022): two players herd stones on a hexagonal board with dice."""
