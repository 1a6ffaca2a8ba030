"""Naive Bayes: parameters, sums of statistics, and the model."""
