"""Estimators for users of scikit-learn."""
