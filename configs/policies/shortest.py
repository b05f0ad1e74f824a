#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""shortest: a policy in another language, as an example. It serves the job with the shortest run time
first and stops at one that does not fit, as the built-in sjf does, and gives the same schedule.

    horus run traces/sample.csv -p 'exec:python3 configs/policies/shortest.py'
"""
import heapq
import json
import sys


def say(answer):
    print(json.dumps(answer), flush=True)


say({"name": "shortest", "summary": "shortest job first", "knows": ["duration"]})
sys.stdin.readline()  # the cluster, of which this policy need not know

order = 0      # of submissions: settles ties
waiting = []   # heap of (duration, order, job)
started = []   # of the last answer: (duration, order, job), in case they found no GPUs
for line in sys.stdin:
    instant = json.loads(line)
    refused = set()
    for event in instant["events"]:
        if "submit" in event:
            heapq.heappush(waiting, (event["duration"], order, event["submit"], event["gpus"]))
            order += 1
        elif "refused" in event:
            refused.add(event["refused"])
    for entry in started:
        if entry[2] in refused:
            heapq.heappush(waiting, entry)
    started = []
    free = instant["free"][0]  # of the first VC: a cluster without quotas has one
    while waiting and waiting[0][3] <= free:
        entry = heapq.heappop(waiting)
        free -= entry[3]
        started.append(entry)
    say({"strict": True, "do": [{"start": entry[2]} for entry in started]})
