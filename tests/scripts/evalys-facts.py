# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a jobs.csv as evalys' JobSet.from_csv does, and compares it with the run.

    python3 evalys-facts.py RUN exclusive|preemptive|shared

Conventions: github.com/oar-team/evalys, evalys/jobset.py (JobSet.columns; from_csv: pandas.read_csv
with converters, str for job_id, ProcSet.from_str for allocated_resources) and evalys/metrics.py
(compute_load); github.com/oar-team/procset.py (from_str: intervals "1-2", elements "5", one blank
between, "" is the empty set). If evalys itself is installed, it opens the file, too. Prints a
line for each fact that does not hold; exit code 1 when there is one.
"""
import json
import sys

import numpy
import pandas

COLUMNS = ["job_id", "workload_name", "submission_time", "requested_number_of_resources",
           "requested_time", "success", "starting_time", "execution_time", "finish_time",
           "waiting_time", "turnaround_time", "stretch", "allocated_resources"]
NUMBERS = [c for c in COLUMNS if c not in ("job_id", "workload_name", "allocated_resources")]
faults = []


def hold(fact, text):
    if not fact:
        faults.append(text)


def intervals(text):
    """Strictly: [(first, last)] ascending, neither overlapping nor touching."""
    result = []
    for part in text.split(" ") if text else []:
        bounds = [int(b) for b in part.split("-")]
        first, last = bounds[0], bounds[-1]
        if len(bounds) > 2 or first > last or (result and first <= result[-1][1] + 1):
            raise ValueError("no canonical interval set: " + text)
        result.append((first, last))
    return result


def size(itvs):
    return sum(last - first + 1 for first, last in itvs)


def overlap(jobs):
    """Two jobs on one GPU at one time, in jobs.csv's one interval a job; None if there are none."""
    held = {}
    for job in jobs.itertuples():
        for first, last in job.allocated_resources:
            for gpu in range(first, last + 1):
                held.setdefault(gpu, []).append((job.starting_time, job.finish_time, job.job_id))
    for gpu, times in held.items():
        times.sort()
        for a, b in zip(times, times[1:]):
            if b[0] < a[1]:
                return "GPU %d: %s and %s" % (gpu, a[2], b[2])
    return None


def hold_segments(run, held):
    """segments.csv under JobSet's names: the Gantt chart of a run with preemption."""
    segments = pandas.read_csv(run + "/segments.csv", converters={
        "job_id": str, "allocated_resources": intervals}).rename(
            columns={"start": "starting_time", "end": "finish_time"})
    hold(overlap(segments) is None, "segments overlap: %s" % overlap(segments))
    length = segments.finish_time - segments.starting_time
    area = (segments.allocated_resources.apply(size) * length).sum()
    hold(numpy.isclose(area, held, rtol=1e-12), "the area of the segments is not held_gpu_seconds")


def main(run, kind):
    path = run + "/jobs.csv"
    summary = json.load(open(run + "/summary.json"))["metrics"]
    raw = pandas.read_csv(path, converters={"job_id": str, "allocated_resources": intervals})
    hold(list(raw.columns[:len(COLUMNS)]) == COLUMNS, "the first 13 columns are not JobSet.columns")
    hold(len(set(raw.columns)) == len(raw.columns), "a column stands twice")
    hold(not {"jobID", "proc_alloc"} & set(raw.columns), "a column that JobSet adds is there")
    for column in NUMBERS:
        hold(raw[column].dtype.kind in "if", column + " is not read as a number")
    hold(set(raw.success) <= {0, 1}, "success is not 0 or 1")
    hold(len(raw) == summary["n_jobs"], "not every job is there")

    # JobSet rounds to 6 digits: microseconds stay.
    jobs = raw.copy()
    jobs[NUMBERS] = numpy.round(raw[NUMBERS], 6)
    jobs["proc_alloc"] = jobs.allocated_resources.apply(size)
    started = jobs[jobs.starting_time.notna()]
    ended = started[started.finish_time.notna()]
    never = jobs[jobs.starting_time.isna()]
    hold((never.proc_alloc == 0).all() and never.execution_time.isna().all(),
         "a job that never started holds GPUs or has run")
    hold((never.success == 0).all() and (jobs.success.sum() == summary["n_done"]),
         "success is not what the summary counts")
    hold(numpy.allclose(started.submission_time + started.waiting_time, started.starting_time)
         and numpy.allclose(ended.starting_time + ended.execution_time, ended.finish_time)
         and numpy.allclose(ended.submission_time + ended.turnaround_time, ended.finish_time),
         "times do not add up as compute_load adds them")
    done = jobs[jobs.success == 1]
    hold(numpy.isclose(done.turnaround_time.mean(), summary["mean_jct"], rtol=1e-12),
         "the mean turnaround is not mean_jct")
    hold(numpy.isclose(done.waiting_time.mean(), summary["mean_wait"], rtol=1e-12),
         "the mean wait is not mean_wait")
    if kind == "exclusive":
        hold((ended.proc_alloc == ended.requested_number_of_resources).all(),
             "a gang is not on as many GPUs as it asked for")
        hold(overlap(ended) is None, "jobs overlap: %s" % overlap(ended))
        area = (ended.proc_alloc * ended.execution_time).sum()
        if summary["n_unfinished"] == 0:
            hold(numpy.isclose(area, summary["held_gpu_seconds"], rtol=1e-12),
                 "the area of the Gantt chart is not held_gpu_seconds")
    if kind != "shared":
        hold_segments(run, summary["held_gpu_seconds"])
    try:
        from evalys.jobset import JobSet
    except ImportError:
        return
    jobset = JobSet.from_csv(path)
    hold(len(jobset.df) == len(raw), "evalys itself reads another number of jobs")


main(sys.argv[1], sys.argv[2])
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
