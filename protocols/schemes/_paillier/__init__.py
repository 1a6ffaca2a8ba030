"""What the Paillier protocols share."""
