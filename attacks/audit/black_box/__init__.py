"""The audit of any release: a function, a class of another library, or tables of what was released."""
