"""What every game shares; nothing here knows any particular game."""
