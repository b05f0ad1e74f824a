# SPDX-License-Identifier: GPL-3.0-or-later
#
# Figures of results/gandiva.md that no summary has, of one run (results/README.md), as lines of a name
# and a value:
#     awk -v what=early -f scripts/gandiva-runs.awk PROFILES jobs.csv segments.csv series.csv
#     awk -v what=shared -f scripts/gandiva-runs.awk jobs.csv segments.csv
# early   time_to_100: mean time from submission until a job has done 100 mini-batches, by the rates of
#         its placements; util_model, util_sum: mean utilization, %, from minute 20 to 200
# shared  of four long jobs from the start and two short ones, 5 and 6, from minute 25 on: mean rates
#         of the long ones before that, while the short ones are there and then; of the short ones;
#         loss: what four GPUs did not do while there were four jobs; ends

function overlap(from, to,    start, end) {
    start = $at["start"] > from ? $at["start"] : from
    end = $at["end"] < to ? $at["end"] : to
    return end > start ? (end - start) * $at["mean_rate"] : 0
}

function early(    id, did) {
    if ("step_ms" in at)
        work_s[$at["model"]] = 100 * $at["step_ms"] / 1000
    else if ("submission_time" in at) {
        submit[$at["job_id"]] = $at["submission_time"]
        left[$at["job_id"]] = work_s[$at["model"]]
    } else if ("metric" in at) {
        if ($at["time"] >= 1200 && $at["time"] < 12000) {
            sum[$at["metric"]] += 100 * $at["value"]
            samples[$at["metric"]]++
        }
    } else if (left[$at["job_id"]] > 0) {
        id = $at["job_id"]
        did = ($at["end"] - $at["start"]) * $at["mean_rate"]
        if (did >= left[id]) {
            reached++
            took += $at["start"] + left[id] / $at["mean_rate"] - submit[id]
        }
        left[id] -= did
    }
}

function shared(    end) {
    is_long = $at["job_id"] <= 4
    if ("finish_time" in at) {
        end = $at["finish_time"]
        if (!is_long && end > shorts_end)
            shorts_end = end
        if (is_long && (first_end == 0 || end < first_end))
            first_end = end
        return
    }
    all += overlap(0, first_end)
    if (is_long) {
        before += overlap(0, 1500)
        during += overlap(1500, shorts_end)
        after += overlap(shorts_end, first_end)
    } else
        beside += overlap(1500, shorts_end)
}

BEGIN {
    FS = ","
    OFMT = "%.9g"
}

FNR == 1 {
    split("", at)
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
what == "early" { early() }
what == "shared" { shared() }

END {
    if (what == "early") {
        print "time_to_100", took / reached
        print "reached_100", reached
        print "util_model", sum["util_model"] / samples["util_model"]
        print "util_sum", sum["util_sum"] / samples["util_sum"]
    } else {
        print "rate_before", before / 4 / 1500
        print "rate_during", during / 4 / (shorts_end - 1500)
        print "rate_short", beside / 2 / (shorts_end - 1500)
        print "rate_after", after / 4 / (first_end - shorts_end)
        print "loss", 1 - all / 4 / first_end
        print "short_jct", shorts_end - 1500
        print "long_jct", first_end
    }
}
