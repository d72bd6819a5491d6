"""The weights of the policies that come with boardherd."""
