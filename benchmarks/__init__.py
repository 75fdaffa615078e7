"""One runnable file per workload, each measuring wend and its peers side by side in one run.

The harness measures, the report shows; what each workload computes stands in its own file.
"""
