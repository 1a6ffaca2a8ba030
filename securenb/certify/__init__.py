"""How far malicious nodes can move a prediction, exactly or soundly."""
