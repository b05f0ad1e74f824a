# SPDX-License-Identifier: GPL-3.0-or-later
#
# Evaluates the samples of bench.sh, one JSON object each: the figures of results/bench.json (medians over
# rounds, costs an event, ratios to the bare parses beside each, growth exponents); these as tables, {title,
# head, rows}, cells are texts; and results/speed.md from two measurements, of an earlier program and of a
# later one.

# ---- figures ------------------------------------------------------------------------------------

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

# Samples of one command into one figure; $keep: the members that identify it.
def joined($keep):
    (.[0] | with_entries(select(.key | IN($keep[])))) +
    if any(.[]; .capped) then {capped: true} else
        {rounds: length, wall_us: middle("wall_us"), user_us: middle("user_us"),
         cpu_us: middle("cpu_us"), peak_kib: middle("peak_kib")} +
        (.[0] | {colocated} | del(..|nulls)) +
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
     classes: grouped("classes"; ["policy", "jobs"]),
     faults: grouped("faults"; ["mtbf"]),
     random: part("random"),
     generator: (part("made") | if length == 0 then null else joined([]) end),
     searches: (part("search") | map(del(.part))),
     lookups: (part("lookup") | map(.text))} |
    . + {growth: growth($start_us), memory: memory};

# Several measurements of one program, each of a part, as one. Input: the output of bench.sh.
def joined_files:
    if length == 1 then .[0] else
        (map(.policies) | add | reduce .[] as $p ([]; if index($p) then . else . + [$p] end))
            as $policies |
        (map(.samples[])) as $samples |
        .[0] + {policies: $policies, form: (if any(.[]; .form == "star") then "star" else "product" end)} +
        ($samples | figures) + {samples: $samples}
    end;

# ---- tables -------------------------------------------------------------------------------------

def at($n): . + (" " * ([$n - length, 0] | max));
def right($n): (" " * ([$n - length, 0] | max)) + .;
def thousands: tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");
# $d decimals.
def fixed($d): if . == null then "" else
    (. * pow(10; $d) | round) as $n | ($n | fabs | tostring) as $digits |
    if $d == 0 then $n | tostring else
        (if $n < 0 then "-" else "" end) +
        (($digits | (("0" * ([$d + 1 - length, 0] | max)) + .)) |
            .[:-$d] + "." + .[-$d:])
    end end;
def short: if . == null then "" elif fabs < 10 then fixed(2) elif fabs < 100 then fixed(1)
    else round | thousands end;
def percent: if . == null then "" else "\(. * 100 | fixed(1)) %" end;
def jobs_text: if . % 1000000 == 0 then "\(. / 1000000) M" elif . % 1000 == 0 then "\(. / 1000) k"
    else tostring end;

# Targets, as ratios to a bare parse: 1,024 GPUs, 95 % load, 1 M jobs, summary alone.
def parse_target: {fifo: 2.5, sjf: 2.5, srtf: 6, tiresias: 6, horus: 15, pack: 15,
                   "gandiva:slicing=fluid": 25};
# As ratios to fifo: 1,024 GPUs, 95 % load, 100,000 jobs, summary alone. Decisions of these policies visit
# every live job.
# live job.
def fifo_target: {muri: 60, synergy: 20, lucid: 25};
def all_outputs_target: 2.5; # x summary alone
def jobs_exponent_target: 1.05;
def gpus_exponent_target: # of policies that give GPUs to one job at a time, of others
    if IN("fifo", "sjf", "qssf", "srtf", "srsf", "tiresias", "las", "philly", "salus-fifo") then 0.2
    else 0.5 end;
def waiting_exponent_target: 0.1; # what log n looks like between 10^4 and 10^6: its slope is 0.088
def classes_exponent_target: 1.1;
def random_most: 100; # x fifo on the same jobs and cluster
def job_bytes_target: 256;
def gpu_bytes_target: 128;
# A figure beside its target: "!" where it is missed.
def held($target; f): if . == null then "" else
    (. | f) + (if $target != null and . > $target then " !" else "  " end) end;

def find(f): map(select(f)) | .[0];
def by_policy($m): $m.policies as $order | group_by(.policy) |
    sort_by(.[0].policy as $p | $order | index($p));
def per_job: if . == null then "" elif .capped then "> cap" else .cpu_us * 1000 / .jobs | short end;

# The cost of the bare parse per row, over all points of 100,000 rows and more.
def parse_ns: [.grid[] | select(.parse_us and .jobs >= 100000) | .parse_us * 1000 / .jobs] | median;

def point_row($m): . as $p | if .capped then [.policy, (.jobs | jobs_text), "> cap"] else
    ($m.grid | find(.outputs == "all" and .policy == $p.policy and .jobs == $p.jobs and
                    .gpus == $p.gpus and .load == $p.load and (.capped | not))) as $all |
    (if .gpus == 1024 and .load == 95 and .jobs == 1000000 then parse_target[.policy] else null end)
        as $target |
    [.policy, (.jobs | jobs_text), (.cpu_us / 1e6 | fixed(2)), (.user_us / 1e6 | fixed(2)),
     (.wall_us / 1e6 | fixed(2)), (.peak_kib / 1024 | fixed(1)), (.events_per_s | round | thousands),
     (.ns_per_event | round | thousands), (.ns_per_decision | round | thousands),
     (.live | thousands), (.ratio | held($target; short)), ($target // "" | tostring),
     (if $all then $all.cpu_us / .cpu_us | held(all_outputs_target; fixed(2)) else "" end),
     (.colocated | percent)] end;
def point_head: ["policy", "jobs", "CPU s", "user s", "wall s", "MiB", "events/s", "ns/event",
    "ns/decision", "live jobs", "x parse", "target", "all outputs x", "co-located"];

# The star has one point a policy here, the most jobs that it could finish; a product all of them.
def point_tables: . as $m |
    if .form == "star" then
        {title: "1,024 GPUs, 95 % load, the largest trace that each policy finished",
         head: point_head,
         rows: ([.grid[] | select(.outputs == "summary" and .gpus == 1024 and .load == 95 and
                                  .jobs <= 1000000 and (.capped | not))] |
                by_policy($m) | map(max_by(.jobs) | point_row($m)))}
    else
        .grid | map(select(.outputs == "summary")) | group_by([.load, .gpus, .jobs])[] |
        {title: "\(.[0].gpus | thousands) GPUs, \(.[0].load) % load, \(.[0].jobs | thousands) jobs",
         head: point_head, rows: (by_policy($m) | map(.[0] | point_row($m)))}
    end;

def fifo_tables: . as $m |
    [.grid[] | select(.outputs == "summary" and .gpus == 1024 and .load == 95 and .jobs == 100000)] as $points |
    ($points | find(.policy == "fifo" and (.capped | not))) as $fifo |
    select($fifo) |
    {title: "Beside fifo: 1,024 GPUs, 95 % load, 100,000 jobs",
     head: ["policy", "CPU s", "x fifo", "target"],
     rows: ($points | map(select(fifo_target[.policy])) | by_policy($m) | map(.[0] | fifo_target[.policy] as $target |
        [.policy] + if .capped then ["> cap", ""] else
            [(.cpu_us / 1e6 | fixed(2)), (.cpu_us / $fifo.cpu_us | held($target; short))] end +
        [$target | tostring]))};

def jobs_tables: . as $m |
    .growth.jobs | map({gpus, load}) | unique[] | . as $at |
    [$m.grid[] | select(.outputs == "summary" and .gpus == $at.gpus and .load == $at.load)] as $points |
    ($points | map(.jobs) | unique) as $counts |
    {title: "CPU ns a job, \($at.gpus | thousands) GPUs, \($at.load) % load; exponent in jobs",
     head: (["policy"] + ($counts | map(jobs_text)) + ["exponent", "target", "live jobs at most"]),
     rows: ($points | by_policy($m) | map(. as $mine | [.[0].policy] +
        [$counts[] as $n | $mine | find(.jobs == $n) | per_job] +
        ([$m.growth.jobs[] | select(.policy == $mine[0].policy and .gpus == $at.gpus and .load == $at.load)] |
            [(.[0].exponent | held(jobs_exponent_target; fixed(2))), (jobs_exponent_target | tostring)]) +
        [$mine | map(select(.capped | not)) | "\(min_by(.jobs).live // 0 | thousands) - \(max_by(.jobs).live // 0 | thousands)"]))};

def gpus_tables: . as $m |
    .growth.gpus | map({load}) | unique[] | . as $at |
    [$m.grid[] | select(.outputs == "summary" and .load == $at.load) | select(.policy as $p | .jobs as $n |
        $m.growth.gpus | any(.policy == $p and .jobs == $n and .load == $at.load))] as $points |
    ($points | map(.gpus) | unique) as $counts |
    {title: "CPU ns a job, \($at.load) % load; exponent in GPUs from 1,024 on",
     head: (["policy", "jobs"] + ($counts | map(thousands)) + ["exponent", "target", "live jobs at most"]),
     rows: ($points | by_policy($m) | map(group_by(.jobs)[] | . as $mine | (.[0].policy) as $policy |
        [$policy, (.[0].jobs | jobs_text)] + [$counts[] as $n | $mine | find(.gpus == $n) | per_job] +
        ([$m.growth.gpus[] | select(.policy == $policy and .jobs == $mine[0].jobs and .load == $at.load)] |
            ($policy | gpus_exponent_target) as $target |
            [(.[0].exponent | held($target; fixed(2))), ($target | tostring)]) +
        [$mine | map(select(.capped | not) | .live) | max // 0 | thousands]))};

def load_tables: . as $m |
    [.grid[] | select(.outputs == "summary")] as $all | ($all | map(.load) | unique) as $loads |
    $all | map({gpus, jobs}) | unique[] | . as $at |
    [$all[] | select(.gpus == $at.gpus and .jobs == $at.jobs)] as $points |
    select(($points | map(select(.load > 30) | .load) | unique | length) > 1) |
    {title: "CPU ns a job (live jobs at most) by load, \($at.gpus | thousands) GPUs, \($at.jobs | thousands) jobs",
     head: (["policy"] + ($loads | map("\(.) %"))),
     rows: ($points | by_policy($m) | map(. as $mine | select(($mine | length) > 1) | [.[0].policy] +
        [$loads[] as $l | $mine | find(.load == $l) |
            per_job + if . != null and (.capped | not) then " (\(.live | thousands))" else "" end]))};

def backlog_tables: . as $m | select(.backlog | length > 0) |
    (.backlog | map(.jobs) | unique) as $counts |
    {title: "Jobs submitted at once: CPU ns per event, without start-up; exponent from 10,000 on",
     head: (["policy"] + ($counts | map(jobs_text)) +
            ["exponent", "target", "bytes a waiting job", "target"]),
     rows: (.backlog | by_policy($m) | map(. as $mine | .[0].policy as $policy | [$policy] +
        [$counts[] as $n | $mine | find(.jobs == $n) | if . == null then "" elif .capped then "> cap"
            else (.cpu_us - $m.start_us) * 1000 / .events | round | thousands end] +
        [($m.growth.waiting | find(.policy == $policy) | .exponent |
            held(waiting_exponent_target; fixed(2))), (waiting_exponent_target | tostring),
         ($m.memory.per_waiting_job | find(.policy == $policy) | .bytes |
            held(job_bytes_target; short)), (job_bytes_target | tostring)]))};

def memory_tables: . as $m |
    (select(.memory.per_gpu | length > 0) |
    {title: "Memory of idle clusters: peak MiB, bytes a GPU",
     head: ["policy", "1,024 GPUs", "131,072 GPUs", "bytes a GPU", "target"],
     rows: (.idle | by_policy($m) | map(.[0].policy as $policy | [$policy] +
        (sort_by(.gpus) | map(.peak_kib / 1024 | fixed(1))) +
        [($m.memory.per_gpu | find(.policy == $policy) | .bytes | held(gpu_bytes_target; short)),
         (gpu_bytes_target | tostring)]))}),
    (select(.pipes | length > 0) | .pipes[0] as $few |
    {title: "Piped from the generator into fifo, 1,024 GPUs, 30 % load",
     head: ["jobs", "CPU s", "MiB", "x the first", "target", "live jobs", "generator CPU s", "generator MiB"],
     rows: [.pipes[] | . as $one | [(.jobs | jobs_text), (.cpu_us / 1e6 | fixed(2)),
        (.peak_kib / 1024 | fixed(1)), (.peak_kib / $few.peak_kib | held(1.1; fixed(2))), "1.1",
        (.live | thousands)] + ($m.pipe_generators | find(.jobs == $one.jobs) |
        [(.cpu_us / 1e6 | fixed(2)), (.peak_kib / 1024 | fixed(1))])]});

def file_tables: . as $m | select(.files | length > 0) |
    {title: "Whole files under fifo: 3,360,000 rows of Helios on 802x8 GPUs at 95 %, 117,325 jobs of Philly",
     head: ["file", "outputs", "CPU s", "target s", "x parse", "target", "wall s", "MiB", "target",
            "live jobs"],
     rows: [.files[] | {"helios all": [null, 5], "helios summary": [null, 2.5],
                        "philly summary": [0.5, null]}["\(.file) \(.outputs)"] as $target |
        [.file, .outputs, (.cpu_us / 1e6 | held($target[0]; fixed(2))), ($target[0] // "" | tostring),
         (.ratio | held($target[1]; short)), ($target[1] // "" | tostring), (.wall_us / 1e6 | fixed(2)),
         (.peak_kib / 1024 | held(200; fixed(1))), "200", (.live | thousands)]]};

# Half of the jobs are opportunistic: GPUs are really shared.
def class_tables: . as $m | select(.classes | length > 0) |
    {title: "antman, half of the jobs opportunistic, 1,024 GPUs, 95 % load; exponent in jobs \(
        .classes | map(select(.capped | not) | [.jobs, .cpu_us - $m.start_us]) | exponent |
        held(classes_exponent_target; fixed(2))), target \(classes_exponent_target)",
     head: ["jobs", "CPU s", "ns a job", "ns/event", "live jobs", "co-located"],
     rows: [.classes[] | if .capped then [(.jobs | jobs_text), "> cap"] else
        [(.jobs | jobs_text), (.cpu_us / 1e6 | fixed(2)), per_job, (.ns_per_event | round | thousands),
         (.live | thousands), (.colocated | percent)] end]};

# The most expensive combinations; a run of more than `random_most` times the cost of fifo was ended. The
# table shows whether the run announced that it takes long.
def random_tables: select(.random | length > 0) | (.random | map(select(.capped))) as $over |
    ($over | map(select(.told | not)) | length) as $silent |
    {title: "\(.random | length) random combinations, 50,000 jobs: \($over | length) above \(
        random_most) x fifo, which were ended, \($silent) of them without a note that they take long\(
        if $silent > 0 then " !" else "" end); the dearest 20",
     head: ["policy", "cluster", "workload", "CPU s", "x fifo", "co-located"],
     rows: (.random | sort_by(if .capped then -1e9 else -.cpu_us / .fifo_us end) | .[:20] | map(
        [.policy, .cluster, .workload] + if .capped then ["", "> \(random_most)\(if .told then "" else " !" end)"] else
        [(.cpu_us / 1e6 | fixed(2)), (.cpu_us / .fifo_us | short), (.colocated | percent)] end))};

def fault_tables: select(.faults | length > 0) | (.faults | find(.mtbf == "none")) as $without |
    {title: "Failures of nodes under fifo, 1,000,000 jobs, 1,024 GPUs, 95 % load",
     head: ["mean time between failures", "events of nodes", "CPU s", "x without", "target"],
     rows: [.faults | reverse[] | [.mtbf, (.events - $without.events | thousands), (.cpu_us / 1e6 | fixed(2)),
        (.cpu_us / $without.cpu_us | held(1.2; fixed(2))), "1.2"]]};

def other_tables:
    (select(.generator) | .generator |
    {title: "horus generate, 1,000,000 jobs of Venus as CSV",
     head: ["CPU s", "x parse of what it makes"], rows: [[(.cpu_us / 1e6 | fixed(2)), (.ratio | short)]]}),
    (select(.searches | length > 0) |
    {title: "Finding GPUs to share, half of them open: ns per search, by the index and by a scan",
     head: ["GPUs", "for", "index", "scan"],
     rows: [.searches[] | [(.gpus | thousands), (if .workers == 1 then "one worker"
         else "a gang of \(.workers)" end), (.index_ns | thousands), (.scan_ns | thousands)]]});

def tables: [point_tables, fifo_tables, jobs_tables, gpus_tables, load_tables, backlog_tables, memory_tables,
             class_tables, random_tables, file_tables, fault_tables,
             other_tables] | map(select(.rows | length > 0));

def row_text($widths): . as $row | [range(length) | . as $i |
    $row[$i] | if $i == 0 then at($widths[0]) else right($widths[$i]) end] | join("  ") | sub(" +$"; "");
def table_text: (.head | length) as $n |
    [.head] + (.rows | map(. + [range($n - length) | ""])) |
    . as $lines | [range($n) as $i | $lines | map(.[$i] | length) | max] as $widths |
    map(row_text($widths))[];

def text:
    "\(.program), \(.compiler); \(.machine.cores) cores, \(.machine.cpu)",
    "CPU time, medians of up to \(.rounds) rounds; x parse: to bare libcsv parses of the same file right",
    "before and behind (\(parse_ns | short) ns a row); starting takes \(.start_us / 1000 | fixed(1)) ms; > cap: more than \(.cap_s) s; !: misses its target",
    (tables[] | "", .title, "  " + table_text),
    (select(.lookups | length > 0) | "", .lookups[]);

# ---- the page -----------------------------------------------------------------------------------

def cells: map(gsub(" +$"; "") | gsub("\\|"; "\\|"));
def markdown:
    (.head | length) as $n |
    "", "## \(.title)", "",
    "| " + (.head | join(" | ")) + " |",
    "| --- |" + ([range($n - 1) | " ---: |"] | add),
    (.rows[] | "| " + (. + [range($n - length) | ""] | cells | join(" | ")) + " |");

# Lines of bench_interference, the first of which is their head; indented lines belong to the line above
# them.
def lookups:
    {title: "Slowdowns of shared GPUs: ns per lookup",
     head: ["of", "ns", "target"],
     rows: (reduce (.lookups[1:][] | capture("^(?<in> *)(?<what>.*[^ ]) +(?<ns>[0-9.]+)$")) as $line
        ({rows: []}; (if ($line.in | length) <= 2 then .of = $line.what else . end) |
            .rows += [[(if .of == $line.what then .of else "\(.of), \($line.what)" end), $line.ns,
                       (if $line.what | endswith("pair") then "100" else "" end)]]) | .rows)};

# What the policy's longest run on 1,024 GPUs at 95 % load costs.
def in_short($policy):
    .grid | map(select(.policy == $policy and .outputs == "summary" and .gpus == 1024 and .load == 95 and
        (.capped | not))) | select(. != []) | max_by(.jobs) |
    "`\($policy)` takes \(.cpu_us / 1e6 | fixed(2)) s for \(.jobs | jobs_text) jobs (\(
        .ratio | short) x parse, \(.peak_kib / 1024 | fixed(1)) MiB)";

def page:
    "# Speed",
    "",
    "**Question.** What does a run cost in CPU time and memory, and how does that grow with jobs, GPUs and load?",
    "",
    ([in_short("fifo", "tiresias", "horus")] | select(. != []) |
        "**Answer.** On 1,024 GPUs at 95 % load, summary alone:\n" + join(",\n") + ".\nTargets that are missed are marked `!`.\n"),
    "**Command.** `make bench` (a quarter of an hour) measures; `tests/bench/bench.sh --page results/bench.json` writes the",
    "tables below, here of \(.program), \(.compiler), \(.machine.cores) cores, \(.machine.cpu). `scripts/README.md` has the",
    "details.",
    "",
    "**Reading the tables.** CPU time is user and system time, the median of up to \(.rounds) rounds that alternate between",
    "the policies. `x parse` is the ratio to libcsv with empty callbacks over the same file (\(parse_ns | short) ns a row): the mean of",
    "a parse right before and one right after the run, because a shared machine changes its speed within seconds.",
    "Traces come from `horus generate --like venus --load X --format helios`: twelve columns, about 100 bytes a row.",
    "At 95 % load the gangs of Venus block a strict queue, so the queue of `fifo` grows with the trace; `live jobs`",
    "is the largest number of jobs in the system. At 30 % hardly any job waits, so the exponent in jobs compares equal",
    "work per job. Bytes per GPU are those of an idle cluster; GPUs with tenants take up to 152 more under policies that",
    "share them (`antman`: 96). `!` marks a missed target, `> cap` a run of more than \(.cap_s) s.",
    (tables[] | markdown),
    (lookups | select(.rows | length > 0) | markdown);

# ---- random combinations ------------------------------------------------------------------------

# The generator of Park and Miller (CACM 1988): states 1 to 2^31 - 2, the same on every machine.
def next_state: . * 16807 % 2147483647;

# Values to try of a parameter: all names of a choice, ends of a range and powers of ten within it.
def tries:
    if .type == "flag" then ["yes", "no"]
    elif .type == "choice" then .values | split("|")
    elif .type == "duration" then (.values | split(",") | last | split("..")) + ["1s", "60s", "1000s"]
    elif .type == "integer" or .type == "real" then
        (.values | split(",") | last | split("..") | map(tonumber? // empty)) as $ends |
        if ($ends | length) < 2 then [] else
            ($ends + [1, 10, 100, 1000] | map(select(. >= $ends[0] and . <= $ends[1])) | unique |
             map(tostring)) end
    else [] end;

# One combination of the state: input, the state; $policies, of `horus policies --json`. Up to three
# parameters have a value of their own.
def combination($policies; $clusters; $workloads):
    def pick($list): {x: next_state} | .it = $list[.x % ($list | length)];
    pick($policies) | .it as $policy |
    ($policy.parameters | map({key, tries: tries} | select(.tries | length > 0))) as $able |
    reduce range([3, $able | if type == "array" then length else . end] | min) as $i
        ({x, set: {}}; .set as $set | (.x | pick($able)) | .it as $p | (.x | pick($p.tries)) |
         {x, set: ($set + {($p.key): .it})}) |
    .set as $set | (.x | pick($clusters)) | .it as $cluster | (.x | pick($workloads)) |
    {x, line: ([$policy.name + (if $set == {} then "" else ":" end) +
                ($set | to_entries | map("\(.key)=\(.value)") | join(",")), $cluster, .it] | @tsv)};

# The given number of lines POLICY, CLUSTER, WORKLOAD.
def combinations($count; $seed; $policies; $clusters; $workloads):
    foreach range($count) as $i ({x: $seed}; .x | combination($policies; $clusters; $workloads); .line);
