"""What is checked of an adapter's subjects, one check a file."""
