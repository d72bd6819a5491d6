"""The games in the shapes that other frameworks expect, one file each. A framework is imported only by its own adapter."""
