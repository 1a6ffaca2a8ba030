"""Evidence that takes longer than tests may: claims, run in parts, kept as one JSON file each."""
