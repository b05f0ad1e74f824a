# SPDX-License-Identifier: GPL-3.0-or-later
#
# results/speed.md of two measurements of bench.sh, of an earlier program and of a later one.

include "bench-figures";
include "bench-tables";

def cells: map(gsub(" +$"; "") | gsub("\\|"; "\\|"));
def markdown:
    (.head | length) as $n |
    "", "## \(.title)", "",
    "| " + (.head | join(" | ")) + " |",
    "| --- |" + ([range($n - 1) | " ---: |"] | add),
    (.rows[] | "| " + (. + [range($n - length) | ""] | cells | join(" | ")) + " |");

# The point of a policy that has most jobs, of those that both measured.
def most($policy; $other): .grid | map(select(.policy == $policy and .outputs == "summary" and
    .gpus == 1024 and .load == 95 and (.capped | not))) |
    map(select(.jobs as $n | $other.grid | any(.policy == $policy and .outputs == "summary" and
        .gpus == 1024 and .load == 95 and .jobs == $n and (.capped | not)))) |
    if length == 0 then null else max_by(.jobs) end;

def faster($before; $after):
    {title: "Before and after: 1,024 GPUs, 95 % load, summary alone",
     head: ["policy", "jobs", "CPU s before", "after", "faster", "x parse before", "after", "target",
            "stretch", "MiB before", "after"],
     rows: [$after.policies[] as $policy | ($after | most($policy; $before)) as $new | select($new) |
        ($before | .grid | find(.policy == $policy and .outputs == "summary" and .gpus == 1024 and
            .load == 95 and .jobs == $new.jobs)) as $old |
        (if $new.jobs == 1000000 then parse_target[$policy] else null end) as $target |
        [$policy, ($new.jobs | jobs_text), ($old.cpu_us / 1e6 | fixed(2)), ($new.cpu_us / 1e6 | fixed(2)),
         "x \($old.cpu_us / $new.cpu_us | fixed(1))", ($old.ratio | short),
         ($new.ratio | held($target; short)), ($target // "" | tostring),
         (if $target then parse_stretch[$policy] | tostring else "" end),
         ($old.peak_kib / 1024 | fixed(1)), ($new.peak_kib / 1024 | fixed(1))]]};

# Exponents and bytes of one measurement; null where it has none.
def growth_of($policy):
    [(.growth.jobs | find(.policy == $policy and .load == 30) | .exponent),
     (.growth.gpus | map(select(.policy == $policy and .load == 95)) |
        if length == 0 then null else max_by(.jobs).exponent end),
     (.growth.waiting | find(.policy == $policy) | .exponent),
     (.memory.per_waiting_job | find(.policy == $policy) | .bytes),
     (.memory.per_gpu | find(.policy == $policy) | .bytes)];

def grown($before; $after):
    {title: "Before and after: growth and memory",
     head: ["policy", "exponent in jobs, 30 %", "after", "in GPUs", "after", "in waiting jobs", "after",
            "bytes a waiting job", "after", "a GPU", "after"],
     rows: [$after.policies[] as $policy |
        ($before | growth_of($policy)) as $old | ($after | growth_of($policy)) as $new |
        [jobs_exponent_target, ($policy | gpus_exponent_target), waiting_exponent_target,
         job_bytes_target, gpu_bytes_target] as $targets |
        [$policy] + [range(5) as $i | $old[$i], $new[$i] |
            held($targets[$i]; if $i < 3 then fixed(2) else short end)]]};

# Lines of bench_interference, the first of which is their head; those that stand further in belong to
# the one above them that does not.
def lookups:
    {title: "Slowdowns of shared GPUs: ns a look at one",
     head: ["of", "ns", "target"],
     rows: (reduce (.lookups[1:][] | capture("^(?<in> *)(?<what>.*[^ ]) +(?<ns>[0-9.]+)$")) as $line
        ({rows: []}; (if ($line.in | length) <= 2 then .of = $line.what else . end) |
            .rows += [[(if .of == $line.what then .of else "\(.of), \($line.what)" end), $line.ns,
                       (if $line.what | endswith("pair") then "100" else "" end)]]) | .rows)};

def page($before; $after):
    "# Speed",
    "",
    "Written by `scripts/bench.sh --page` from two results of `make bench`: before is \($before.program),",
    "after \($after.program); \($after.compiler), \($after.machine.cores) cores, \($after.machine.cpu).",
    "",
    "CPU time (user and system), medians of up to \($after.rounds) rounds that take the policies in turns. `x parse`",
    "is the ratio to libcsv with empty callbacks over the same file, the mean of a parse right before the run and one",
    "right behind it (\($after | parse_ns | short) ns a row), since a shared machine changes its speed within seconds. Traces are",
    "made by `horus generate --like venus --load X --format helios`, twelve columns, about 100 bytes a row. Under",
    "strict order of submission Venus' gangs hold up what is behind them, so at 95 % the queue of `fifo` grows with the",
    "trace: `live jobs` says how many were there at most. At 30 % hardly a job waits, and the exponent in jobs is of",
    "equal work. Bytes a GPU are those of an idle cluster; one with tenants takes up to 152 more where they share it",
    "(`antman`: 96). `!` marks a missed target, `> cap` a run of more than \($after.cap_s) s. `scripts/README.md` tells the",
    "rest.",
    (faster($before; $after), grown($before; $after) | select(.rows | length > 0) | markdown),
    ($after | tables[] | markdown),
    ($after | lookups | select(.rows | length > 0) | markdown);
