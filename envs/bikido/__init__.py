"""Bikido (J. Mariaud de Serre and R.-J. Lebel, 2019/2022): two players stack and climb to reach the other's bird."""
