# SPDX-License-Identifier: GPL-3.0-or-later
#
# From the samples of bench.sh, one JSON object each, to the figures of results/bench.json: medians
# over rounds, costs an event, ratios to the bare parses beside each, growth exponents.

def median: sort | if length == 0 then null
    elif length % 2 == 1 then .[(length - 1) / 2] else (.[length / 2 - 1] + .[length / 2]) / 2 end;

# Least-squares slope of log y over log x, of [[x, y], ...]; null below two points.
def exponent:
    map(select(.[0] > 0 and .[1] > 0) | map(log)) | if length < 2 then null else
        length as $n | (map(.[0]) | add / $n) as $x | (map(.[1]) | add / $n) as $y |
        (map((.[0] - $x) * (.[1] - $y)) | add) / (map(pow(.[0] - $x; 2)) | add)
    end;

def part($name): map(select(.part == $name));
def middle($key): map(.[$key] // empty) | median;

# A command that ended under one cap and not under another has ended.
def ended: map(select(.capped | not)) as $ended | if $ended == [] then . else $ended end;

# Samples of one command into one figure; $keep: the members that tell which.
def joined($keep):
    (.[0] | with_entries(select(.key | IN($keep[])))) +
    if any(.[]; .capped) then {capped: true} else
        {rounds: length, wall_us: middle("wall_us"), user_us: middle("user_us"),
         cpu_us: middle("cpu_us"), peak_kib: middle("peak_kib")} +
        (if .[0].parse_us then
            {parse_us: middle("parse_us"), ratio: (map(.cpu_us / .parse_us) | median)} else {} end) +
        (if .[0].events then
            middle("cpu_us") as $us |
            (.[0] | {events, decisions, live}) +
            {events_per_s: (.[0].events / $us * 1e6), ns_per_event: ($us * 1000 / .[0].events),
             ns_per_decision: ($us * 1000 / ([.[0].decisions, 1] | max))} else {} end)
    end;

def grouped($name; $keep): part($name) | group_by([.[$keep[]]]) | map(ended | joined($keep));

# Cost over jobs at equal load, over GPUs at equal jobs, and of an event over waiting jobs.
def growth($start_us):
    (.grid | map(select(.outputs == "summary" and (.capped | not)))) as $points |
    {jobs: ($points | group_by([.policy, .gpus, .load]) | map(select(length > 1) |
        (.[0] | {policy, gpus, load}) + {exponent: (map([.jobs, .cpu_us - $start_us]) | exponent)})),
     gpus: ($points | map(select(.gpus >= 1024)) | group_by([.policy, .jobs, .load]) |
        map(select(length > 1) |
        (.[0] | {policy, jobs, load}) + {exponent: (map([.gpus, .cpu_us]) | exponent)})),
     waiting: (.backlog | map(select((.capped | not) and .jobs >= 10000)) | group_by(.policy) |
        map({policy: .[0].policy,
             exponent: (map([.jobs, (.cpu_us - $start_us) / .events]) | exponent)}))};

# Slopes of peak memory: between the two longest backlogs, and between idle clusters.
def memory:
    def slope($x): sort_by(.[$x]) | if length < 2 then null else
        (.[-1].peak_kib - .[-2].peak_kib) * 1024 / (.[-1][$x] - .[-2][$x]) end;
    {per_waiting_job: (.backlog | map(select((.capped | not) and .jobs >= 10000)) | group_by(.policy) |
        map({policy: .[0].policy, bytes: slope("jobs")})),
     per_gpu: (.idle | map(select(.capped | not)) | group_by(.policy) |
        map({policy: .[0].policy, bytes: slope("gpus")}))};

# Input: all samples.
def figures:
    (part("start") | middle("cpu_us")) as $start_us |
    {start_us: $start_us, grid: grouped("grid"; ["policy", "outputs", "jobs", "gpus", "load"]),
     backlog: grouped("backlog"; ["policy", "jobs"]),
     idle: grouped("idle"; ["policy", "gpus"]),
     pipes: grouped("pipe"; ["jobs"]),
     pipe_generators: grouped("pipe-generator"; ["jobs"]),
     files: grouped("file"; ["file", "outputs"]),
     generator: (part("made") | if length == 0 then null else joined([]) end),
     searches: (part("search") | map(del(.part))),
     lookups: (part("lookup") | map(.text))} |
    . + {growth: growth($start_us), memory: memory};

# Several measurements of one program, each of a part, as one. Input: what bench.sh wrote.
def joined_files:
    if length == 1 then .[0] else
        (map(.policies) | add | reduce .[] as $p ([]; if index($p) then . else . + [$p] end))
            as $policies |
        (map(.samples[])) as $samples |
        .[0] + {policies: $policies, form: (if any(.[]; .form == "star") then "star" else "product" end)} +
        ($samples | figures) + {samples: $samples}
    end;
