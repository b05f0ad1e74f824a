# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the parts of bench.sh share: the workloads, and one sample - what one command cost - as one
# line of JSON. Needs $build, $horus, $work and $cap_s of bench.sh.
# shellcheck disable=SC2154

log() { echo "bench: $*" >&2; }

number() { # 10k, 1M -> 10000, 1000000
    case $1 in
    *k) echo "${1%k}000" ;;
    *M) echo "${1%M}000000" ;;
    *) echo "$1" ;;
    esac
}

# Helios' twelve columns; gangs, durations and hours of Venus, as many jobs a day as LOAD percent of
# the GPUs take.
workload() { # JOBS GPUS LOAD_PERCENT FILE
    parsed=
    "$horus" generate --like venus -n "$1" -c "$(($2 / 8))x8:V100" --format helios -q -o "$4" \
        --load "$(awk -v percent="$3" 'BEGIN { print percent / 100 }')"
}

# The first JOBS of them, all submitted at once, with no column that is not needed.
burst() { # JOBS FILE
    [ -s "$work/burst.csv" ] || "$horus" generate --like venus -n 1000000 --format csv -q |
        awk -F, -v OFS=, '{ print $1, NR == 1 ? $2 : 0, $3, $4 }' >"$work/burst.csv"
    head -n "$(($1 + 1))" "$work/burst.csv" >"$2"
}

every_policy() { # turns are taken as shares of time: those of mini-batches one by one are another matter
    "$horus" policies | awk '/^$/ { exit } NR > 1 && /^[a-z]/ {
        print $1 ($1 == "gandiva" ? ":slicing=fluid" : $1 ~ /^salus-(pack|fair|rr)$/ ? ":mode=fluid" : "")
    }'
}

cost() { # COMMAND...: WALL_US USER_US CPU_US PEAK_KIB; exit code 152: more than the cap
    "$build/tests/bench/bench_cost" -t "$cap_s" "$@"
}

# Appends to $work/samples. FIELDS: members of the line, as JSON. The cap ends a run, not the
# measurement: such a line has "capped" in place of a cost.
take() { # FIELDS COMMAND...
    local fields=$1 status=0 figures
    shift
    figures=$(cost "$@" 2>"$work/stderr") || status=$?
    if [ $status -eq 152 ]; then
        echo "{$fields, \"capped\": true}" >>"$work/samples"
        return 1
    elif [ $status -ne 0 ]; then
        cat "$work/stderr" >&2
        log "exit code $status: $*"
        exit 1
    fi
    read -r wall_us user_us cpu_us peak_kib <<<"$figures"
    fields+=", \"wall_us\": $wall_us, \"user_us\": $user_us, \"cpu_us\": $cpu_us, \"peak_kib\": $peak_kib"
    echo "{$fields}" >>"$work/samples"
}

# Changes the sample that was taken last.
amend() { # JQ_ARGUMENT...
    jq -c "$@" <(tail -n 1 "$work/samples") >"$work/sample"
    sed -i '$d' "$work/samples"
    cat "$work/sample" >>"$work/samples"
}

parsed= # the file of the last bare parse, as long as nothing else ran since
parse_us=

bare_parse() { # FILE
    read -r _ _ parse_us _ < <(cost "$build/tests/bench/bench_parse" "$1")
    parsed=$1
}

# A sample of a command beside bare parses of its file: the machine changes its speed within seconds,
# so each is held against the mean of one right before it and one right behind. What was behind one
# command is before the next.
beside() { # FILE COMMAND...: take or take_run with its arguments
    local file=$1 before_us
    shift
    [ "$parsed" = "$file" ] || bare_parse "$file"
    parsed=
    before_us=$parse_us
    "$@" || return 1
    bare_parse "$file"
    amend --argjson us "$(((before_us + parse_us) / 2))" '. + {parse_us: $us}'
}

# A run; with what its manifest counted.
take_run() { # FIELDS TRACE ARGUMENT...
    local fields=$1 trace=$2
    shift 2
    rm -rf "$work/out" "$work/out.tmp" # of a run that was capped
    take "$fields" "$horus" run "$trace" -o "$work/out" -q --no-progress "$@" || return 1
    amend --slurpfile m "$work/out/manifest.json" \
        '. + ($m[0].engine | {events, decisions, live: .peak_live_jobs, ran: .jobs})'
}
