"""Chopat (seven-cowrie Pachisi of Saurashtra): two to four players race their men round a cross by throws of cowries."""
