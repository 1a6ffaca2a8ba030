"""One-shot federated Naive Bayes: poisoning resilience, secure aggregation, privacy accounting."""
