"""The study of SECRYPT 2022, *Federated Naive Bayes under Differential Privacy*, as published.

T. Marchioro, L. Giaretta, E. Markatos and Š. Girdzijauskas, doi:10.5220/0011275300003283. What is here
follows the paper and, where the two differ, the code that its authors published and made its figures
with. It exists so that those figures can be drawn again: **its releases are not differentially private**
(`docs/reproduction.md` says why). The corrected counterpart of everything here is the rest of securenb.
"""
