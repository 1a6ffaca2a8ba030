"""What moves bytes between parties: one process, or many machines."""
