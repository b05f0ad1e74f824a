# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads run directories of horus: rows as dictionaries with numbers, or pandas frames if pandas is installed.

    import horus_runs
    run = horus_runs.read("results/mine")
    run.summary["metrics"]["mean_jct"], run.policy
    for job in run.jobs: job["job_id"], job["waiting_time"]     # None if a cell is empty
    run.frame("jobs")                                           # the same as a pandas.DataFrame

Called as a program it is an example: it prints a line a run, mean and p95 wait by user.
    python3 scripts/horus_runs.py RUN...
"""
import csv
import json
import os
import sys

TEXTS = {"job_id", "user", "vc", "status", "model", "batch", "gpu_type", "dataset", "precision", "profile_from", "class",
         "allocated_resources", "workload_name", "gpu_util_from", "gpu_mem_from", "name", "key", "group", "metric"}


def value(column, text):
    """A cell: text, a number, or None."""
    if column in TEXTS:
        return text
    if text == "":
        return None
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        return text


class Run:
    def __init__(self, directory):
        self.directory = directory
        self.manifest = self._json("manifest.json")
        self.summary = self._json("summary.json")
        self.policy = self.manifest["config"]["policy"]

    def _json(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as file:
            return json.load(file)

    def rows(self, name):
        """The rows of NAME.csv, one after the other."""
        with open(os.path.join(self.directory, name + ".csv"), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield {column: value(column, text) for column, text in row.items()}

    def __getattr__(self, name):
        if name in ("jobs", "segments", "series", "nodes", "users", "vcs", "backtest", "decisions"):
            return list(self.rows(name))
        raise AttributeError(name)

    def frame(self, name):
        import pandas
        return pandas.DataFrame(list(self.rows(name)))


def read(directory):
    return Run(directory)


def main(directories):
    for directory in directories:
        run = read(directory)
        waits = {}
        for job in run.rows("jobs"):
            if job["success"] == 1:
                waits.setdefault(job["user"], []).append(job["waiting_time"])
        print("%s: mean JCT %.1f s" % (run.policy, run.summary["metrics"]["mean_jct"]))
        for user, of in sorted(waits.items()):
            of.sort()
            print("  %-12s %5d jobs, wait %.1f s in the mean, %.1f s at the 95th per cent"
                  % (user or "(none)", len(of), sum(of) / len(of), of[-(-95 * len(of) // 100) - 1]))


if __name__ == "__main__":
    main(sys.argv[1:])
