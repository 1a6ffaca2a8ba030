"""What poisons, deviations and inferences are made with."""
