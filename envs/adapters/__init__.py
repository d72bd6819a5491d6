"""The games in the forms that other frameworks train on, one module each; a framework is imported with its module, not before."""
