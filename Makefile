demo test check:
	python3 run.py $@
.PHONY: demo test check
