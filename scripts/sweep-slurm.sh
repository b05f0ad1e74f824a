#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Submits the unfinished points of a sweep as Slurm job arrays, a task a point, waits and gathers.
# Killed or failed points: the same command again submits what is missing. Interrupted, it leaves the
# tasks in the queue, and the same command again waits for them.
#   scripts/sweep-slurm.sh EXPERIMENT.json [-o DIR] [--set KEY=VALUE]... [--max-tasks N] [--dry-run] [-- SBATCH...]
# -o and --set are those of `horus sweep`; at most N tasks run at a time; after -- come options of
# sbatch, such as --partition=cpu --time=10. The nodes see this folder under the same name.
# HORUS=PATH is the program. --dry-run prints what it would submit, with no need of Slurm. DIR/logs/ has a log a task. Exit 0: every point is done; 1: some are not.
set -eu
# shellcheck source-path=SCRIPTDIR source=sweep-common.sh
. "$(dirname "$0")/sweep-common.sh"

limit='' dry=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    take "$@"
    if [ "$taken" -eq 0 ]; then
        case $1 in
        --max-tasks)
            [ $# -ge 2 ] || usage
            limit=$2
            taken=2
            ;;
        --dry-run) dry=yes taken=1 ;;
        *)
            say "unknown option $1"
            usage
            ;;
        esac
    fi
    shift "$taken"
done
[ $# -eq 0 ] || shift # --
case $limit in 0* | *[!0-9]*) usage ;; esac

# The points as lines `OFFSET ARRAY`, such as `1000 3,7-9`: Slurm's numbers end below MaxArraySize.
arrays() {
    awk -v span="$array_span" -v RS='[,\n]' -F - '
        {
            for (from = $1; from <= $NF; from = to + 1) {
                chunk = int(from / span)
                to = $NF < (chunk + 1) * span ? $NF : (chunk + 1) * span - 1
                first = from - chunk * span
                last = to - chunk * span
                list[chunk] = list[chunk] (list[chunk] == "" ? "" : ",") \
                    first (first < last ? "-" last : "")
                if (chunk > chunks) chunks = chunk
            }
        }
        END { for (chunk = 0; chunk <= chunks; chunk++) if (chunk in list) print chunk * span, list[chunk] }' \
        <<<"$pending"
}

submit() { # OFFSET ARRAY SBATCH-OPTION...: prints the job's number
    local offset=$1 array=$2 label=
    shift 2
    [ "$offset" -eq 0 ] || label=$offset+
    ${dry:+show} sbatch --parsable --job-name="$name" --ntasks=1 --array="$array${limit:+%$limit}" \
        --output="${dir//%/%%}/logs/%A_$label%a.log" "$@" <<END
#!/bin/bash
exec $(printf '%q ' "$horus" sweep "$experiment" -o "$dir" "${settings[@]}") --index \$(($offset + SLURM_ARRAY_TASK_ID))
END
}

show() { # COMMAND...: and its input
    printf '%q ' "$@"
    printf '<<END\n%s\nEND\n' "$(cat)"
}

queued() { squeue --noheader --user="$(id -u)" --name="$name" --format=%A | sort -u | paste -sd ' '; }

# Until none of our tasks is queued or running. A controller that does not answer is asked again.
wait_for_queue() {
    local start_s=$SECONDS pause_s jobs
    until jobs=$(queued) && [ -z "$jobs" ]; do
        pause_s=$((1 + (SECONDS - start_s) / 10)) # at most a tenth late, and half a minute
        sleep $((pause_s < 30 ? pause_s : 30))
    done
}

if [ -n "$dry" ]; then
    begin
    ask_pending
    name=horus-sweep array_span=1001 # Slurm's own MaxArraySize
    [ -z "$pending" ] || while read -r offset array; do submit "$offset" "$array" "$@"; done < <(arrays)
    exit
fi
for tool in sbatch squeue scontrol; do
    command -v "$tool" >/dev/null || {
        say "no $tool: this is not a machine of a Slurm cluster"
        exit 2
    }
done
begin
mkdir -p "$dir/logs"
dir_hash=$(realpath "$dir" | sha256sum)
name=horus-sweep-${dir_hash:0:12}

jobs=$(queued) || exit 4
if [ -n "$jobs" ]; then
    say "tasks of this sweep are in the queue, job $jobs; waiting for them"
    wait_for_queue
fi
ask_pending
if [ -n "$pending" ]; then
    array_span=$(scontrol show config | awk '$1 == "MaxArraySize" { print $3 }')
    [ "${array_span:-0}" -gt 1 ] || {
        say "this cluster has no job arrays (MaxArraySize ${array_span:-unknown})"
        exit 4
    }
    previous=
    while read -r offset array; do
        # The limit applies to one array: several run one after the other.
        job=$(submit "$offset" "$array" ${limit:+${previous:+--dependency=afterany:$previous}} "$@") || {
            say "sbatch refused; what is in the queue goes on: run this again when there is room"
            exit 4
        }
        previous=${job%%;*}
        say "job $previous: points $array$([ "$offset" -eq 0 ] || echo ", each + $offset")"
    done < <(arrays)
    say "waiting (squeue --name=$name); interrupted, the tasks go on"
    wait_for_queue
fi
finish
