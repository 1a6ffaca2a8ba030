"""What is public about records, and the integers that records become."""
