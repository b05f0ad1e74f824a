#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the published experiments of Tiresias, Helios (QSSF), Philly, Lucid and Muri on scheduling, as far as
# the data is available: results/tiresias.md. --quick takes the first 200 jobs of each month of Venus; all
# else is complete.
#   scripts/reproduce-tiresias.sh [--quick] [BUILD [FOLDER]]
# shellcheck source=scripts/reproduce-common.sh
. "$(dirname "$0")/reproduce-common.sh"
needed="traces/venus_gpu_jobs_mar-jul2020.csv traces/philly_vc_7f04ca_0e4a51.csv traces/60_job.csv
    traces/trace1.csv traces/trace4.csv oracles/helios-venus/venus_vcvlY_sept2020.csv
    oracles/helios-venus/predictions_vcvlY_lgb.csv oracles/tiresias/traces/yarn-gput1000.csv"
for file in $needed; do needs "$data/$file"; done

months=(04 05 06 07)
names=(April May June July)
days=(30 31 30 31)
loads=(0.8 0.85 0.9 0.95 1 1.1)
load=0.95 # of all tables but that of loads
draws=3
venus_most=1000000 # jobs of a month
[ $quick = no ] || venus_most=200
metrics="mean_jct mean_queue max_jct preemptions n_done overhead_gpu_seconds held_gpu_seconds"
# shellcheck disable=SC2034 # of cells
drop=',samples=[^,]*' # the name of a policy without the path of its file

sample=$data/oracles/tiresias/traces/yarn-gput1000.csv # of service, GPU s
lucid=tiresias:compat=helios,queue_limits=18000,inqueue=submit,round_s=60,preempt_cost=table,cost_table=40/40/60
helios_srtf=srtf:compat=helios,preempt_cost=table
as_published=compat=tiresias,placement=count,preempt_cost=free
# shellcheck disable=SC2034 # arrays that versus takes by name
{
    main=(fifo fifo:scan=easy sjf qssf:pred=oracle qssf "$helios_srtf" srsf tiresias las
        tiresias:index=gittins "$lucid")
    ends=(fifo sjf)
    oracles=(fifo sjf "sjf:pred=noisy,pred_sigma=0.5" sjf:pred=noisy "sjf:pred=noisy,pred_sigma=2" sjf:pred=rolling
        qssf:pred=oracle "qssf:pred=noisy,pred_sigma=0.5" qssf:pred=noisy "qssf:pred=noisy,pred_sigma=2" qssf
        tiresias las)
    costs=(srtf srtf:preempt_cost=table "srtf:preempt_cost=table,cost_table=40/40/60"
        "srtf:preempt_cost=table,cost_table=62/62/62" "srtf:preempt_cost=table,cost_table=300/300/300"
        tiresias tiresias:preempt_cost=table "tiresias:preempt_cost=table,cost_table=40/40/60"
        "tiresias:preempt_cost=table,cost_table=62/62/62" "tiresias:preempt_cost=table,cost_table=300/300/300")
    knobs=(tiresias tiresias:queue_limits=3250 tiresias:queue_limits=18000
        tiresias:queue_limits=3250/7200/18000 tiresias:queue_limits=600/3600/21600/129600
        tiresias:promote_knob=8 tiresias:promote_knob=2 tiresias:promote_knob=1
        tiresias:inqueue=submit tiresias:round_s=60 tiresias:round_s=300
        tiresias:index=gittins "tiresias:index=gittins,gittins=exact,samples=$sample"
        "tiresias:index=gittins,gittins=repo,samples=$sample"
        "tiresias:index=gittins,queue_limits=18000" las srsf "$lucid")
    muris=("srtf:form=replace,placement=yarn,preempt_cost=restart"
        "srsf:form=replace,placement=yarn,preempt_cost=restart" "tiresias:placement=count,preempt_cost=restart")
}
quotas=(partition:fifo quota:fifo quota:fifo:scan=fit ignore:fifo quota:philly quota:philly:retry=0
    quota:philly:relax_after=0 quota:philly:relax_after=1 quota:philly:max_level=0
    quota:philly:fair_preempt=0 quota:philly:preempt_cost=table partition:tiresias quota:tiresias
    quota:srtf)

# ---- workloads ----------------------------------------------------------------------------------

venus_month() { # YYYY-MM
    awk -F, -v month="$1" -v most="$venus_most" '
        NR == 1 || (substr($3, 1, 7) == month && n++ < most)' \
        "$data/traces/venus_gpu_jobs_mar-jul2020.csv"
}

# Helios' artifact simulates the jobs submitted from 2017-10-01 to 2017-11-30 23:59.
philly_jobs() { # VC, or . for both
    local trace=$data/traces/philly_vc_7f04ca_0e4a51.csv
    head -n 1 "$trace"
    awk -F, -v vc="$1" '$1 ~ vc && $2 >= "2017-10-01" && $2 <= "2017-11-30 23:59:00"' "$trace" |
        sort -s -t, -k2,2
}

# Milliseconds; a run takes its iterations times the time of one, which Muri multiplies by FACTOR.
muri_jobs() { # TRACE FACTOR
    awk -F, -v factor="$2" 'NR == 1 { print "job_id,submit_time,gpus,duration,model"; next }
        { printf "%s,%s,%s,%.3f,%s\n", $1, $3, $2, $4 * $9 * factor, $5 }' "$data/traces/$1.csv"
}

# ---- runs ---------------------------------------------------------------------------------------

venus() { # POLICIES LOAD MONTH ARGUMENT...; MONTH counts from 0
    local trace=$work/venus-${months[$3]}.csv
    versus "$1" "$trace" --map=configs/mappings/venus.json \
        -c "$(nodes "$trace" "$2" "${days[$3]}")x8:V100" "${@:4}"
}

philly() { # POLICIES VC ARGUMENT...
    versus "$1" "$work/philly-$2.csv" --map=configs/mappings/philly-vc.json -c 32x8 "${@:3}"
}

everywhere() { # the months are workloads, each VC is simulated alone
    local m vc
    say "$1"
    for m in "${!months[@]}"; do
        venus "$2" $load "$m" "${@:4}"
        cells "$1, Venus" "$m" "$3"
    done
    for vc in 7f04ca 0e4a51; do
        philly "$2" $vc "${@:4}"
        cells "$1, $vc" $vc "$3"
    done
}

# A run whose command goes into the page.
run_shown() { # ARGUMENT...
    local words="horus run $*"
    run_one "$@"
    words=${words//"$data"/\$HORUS_DATA}
    echo "    ${words//"$work/"/}" >>"$work/commands"
}

quota() { # VC-MODE POLICY: what each VC gets
    run_one "$work/philly-both.csv" --map=configs/mappings/philly-vc.json -c configs/clusters/philly-2vc.json \
        --vc="$1" -p "$2" --outputs=summary
    jq -r --arg experiment "Q, $1" --arg policy "$2" '
        ({mean_jct: .metrics.mean_jct, preemptions: .metrics.preemptions, n_done: .metrics.n_done,
            mean_queue: (.metrics.mean_queue_length * .metrics.makespan / .metrics.n_done)} +
            ([.classes.vc | to_entries[] | {key: ("mean_jct " + .key), value: .value.mean_jct}] | from_entries))
        | to_entries[] | [$experiment, $policy, "1", "1", .key, .value] | @tsv' "$work/one/summary.json" \
        >>"$work/cells"
}

experiments() {
    local m l policy
    for m in "${!months[@]}"; do venus_month "2020-${months[m]}" >"$work/venus-${months[m]}.csv"; done
    for policy in 7f04ca 0e4a51; do philly_jobs $policy >"$work/philly-$policy.csv"; done
    philly_jobs . >"$work/philly-both.csv"

    everywhere H main 1
    for m in "${!months[@]}"; do # the same cells, each month an experiment of its own
        awk -F'\t' -v OFS='\t' -v month="$m" -v name="${names[m]}" \
            '$1 == "H, Venus" && $3 == month { $1 = name; print }' "$work/cells" >"$work/month"
        cat "$work/month" >>"$work/cells"
    done
    say L
    for l in "${loads[@]}"; do
        for m in "${!months[@]}"; do
            venus ends "$l" "$m"
            cells "L, $l, ${names[m]}" "$m" 1
        done
    done
    everywhere O oracles @ --seeds "1..$draws"
    everywhere C costs 1
    everywhere K knobs 1
    say M
    for l in trace1 trace4; do
        muri_jobs $l 1.015 >"$work/muri.csv"
        quietly versus muris "$work/muri.csv" --time-unit=ms --assign=columns -c 8x8
        cells "M, $l" $l 1
    done
    say Q
    for policy in "${quotas[@]}"; do quota "${policy%%:*}" "${policy#*:}"; done
}

# ---- exactly ------------------------------------------------------------------------------------

# Jobs whose first start or end is not the published one, both from the job's submission on, and the
# mean JCT there and here; columns of the published file by name.
differing() { # PUBLISHED SUBMIT START END
    awk -F, -v submit="$2" -v start="$3" -v end="$4" '
        function far(a, b) { return a - b > 1e-6 || b - a > 1e-6 }
        { sub(/\r$/, "") }
        FNR == 1 { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; next }
        NR == FNR {
            waited[$at["job_id"]] = $at[start] - $at[submit]
            took[$at["job_id"]] = $at[end] - $at[submit]
            there += $at[end] - $at[submit]
            next
        }
        {
            jobs++
            here += $at["turnaround_time"]
            if (!($at["job_id"] in took) || far($at["waiting_time"], waited[$at["job_id"]]) ||
                far($at["turnaround_time"], took[$at["job_id"]])) differ++
        }
        END { printf "%d | %d | %.2f | %.2f\n", jobs, differ, there / jobs, here / jobs }' \
        "$1" "$work/one/jobs.csv"
}

exact_row() { # WHAT POLICY FIGURES TEST
    printf '| %s | `%s` | %s | `%s` |\n' "$1" "$2" "$3" "$4" >>"$work/exact"
}

helios() { # OUTCOMES POLICY TEST
    run_shown "$data/oracles/helios-venus/venus_vcvlY_sept2020.csv" --map=gpus=gpu_num -c 2x8 -p "$2"
    exact_row "Venus, VC vcvlY: $1" "${2//"$data/oracles/helios-venus/"/}" \
        "$(differing "$data/oracles/helios-venus/expected_vcvlY_$1.csv" submit_s start_s end_s)" "$3"
}

sixty() { # SCHEDULE POLICY TEST
    run_shown "$data/traces/60_job.csv" -c configs/clusters/n4g4.json -p "$2"
    exact_row "60 jobs: $1" "${2//"$data/oracles/tiresias/traces/"/}" \
        "$(differing "$data/oracles/tiresias/fixed/60_job/n4g4/count/$1/job.csv" submit_time start_time \
            end_time)" "$3"
}

# Published: only means. Those of Muri are rounded, Helios' artifact truncates.
only_mean() { # WHAT POLICY PUBLISHED FORMAT TEST
    jq -r --arg published "$3" '[.metrics.n_done, $published, .metrics.mean_jct] | @tsv' \
        "$work/one/summary.json" >"$work/mean"
    exact_row "$1" "$2" "$(awk -v format="$4" '{ here = format == "cut" ? int($3) : sprintf("%.0f", $3)
        printf "%d | mean: %s | %s | %s", $1, here == $2 ? "equal" : sprintf("%+.3f %%", 100 * (here / $2 - 1)),
            $2, here }' "$work/mean")" "$5"
}

muri() { # TRACE WHAT POLICY PUBLISHED
    muri_jobs "$1" 1 >"$work/muri-$1.csv"
    run_shown "$work/muri-$1.csv" --time-unit=ms --assign=columns -c 8x8 -p "$3"
    only_mean "Muri, $1: $2" "$3" "$4" round tests/oracle/test_published_tiresias.c
}

philly_vc() { # VC POLICY PUBLISHED
    run_shown "$work/philly-$1.csv" --map=configs/mappings/philly-vc.json -c 32x8 -p "$2"
    only_mean "Philly, VC $1: $(sed 's/:.*//; s/.*/\U&/' <<<"$2")" "$2" "$3" cut tests/scripts/test-reproduce.sh
}

exactly() {
    local las=tests/oracle/test_published_tiresias.c plain=tests/oracle/test_published.c
    say "exactly"
    helios fifo fifo $plain
    helios sjf sjf $plain
    helios srtf $helios_srtf,cost_table=40/40/60 $las
    helios qssf "qssf:compat=helios,pred=file,pred_file=$data/oracles/helios-venus/predictions_vcvlY_lgb.csv" \
        tests/oracle/test_published_qssf.c
    helios tiresias $lucid,round_phase=38 $las
    sixty fifo fifo:placement=count $plain
    sixty fjf fifo:scan=fit,placement=count $plain
    sixty shortest srtf:form=replace,placement=count $plain
    sixty shortest-gpu srsf:form=replace,placement=count $plain
    sixty dlas las:$as_published $las
    sixty dlas-gpu tiresias:$as_published $las
    sixty dlas-gpu-1 tiresias:promote_knob=1,$as_published $las
    sixty dlas-gpu-8 tiresias:promote_knob=8,$as_published $las
    sixty dlas-gpu-gittins "tiresias:index=gittins,gittins=repo,samples=$sample,$as_published" $las
    muri trace1 SRTF srtf:compat=muri,placement=yarn 1370603
    muri trace1 SRSF srsf:compat=muri,placement=yarn 980141
    muri trace1 Tiresias tiresias:compat=muri,placement=count 3330371
    muri trace4 SRTF srtf:compat=muri,placement=yarn 581983
    muri trace4 SRSF srsf:compat=muri,placement=yarn 487167
    muri trace4 Tiresias tiresias:compat=muri,placement=count 1319383
    philly_vc 7f04ca fifo 133826
    philly_vc 7f04ca sjf 133271
    philly_vc 7f04ca $helios_srtf 132980
    philly_vc 0e4a51 fifo 233539
    philly_vc 0e4a51 sjf 168747
    philly_vc 0e4a51 $helios_srtf 146023
    run_one "$work/philly-0e4a51.csv" --map=configs/mappings/philly-vc.json -c 32x8 -p fifo --tie-jitter=100
    cp "$work/said" "$work/jittered"
}

# The worked example of Tiresias: mean JCT of three jobs on two GPUs.
worked() {
    local policy
    printf 'job_id,submit_time,gpus,duration\nJ1,0,2,2\nJ2,0,1,8\nJ3,0,2,6\n' >"$work/worked.csv"
    printf '4\n8\n12\n' >"$work/worked-service"
    for policy in srsf tiresias:queue_limits=4/8 tiresias:queue_limits=2/4/6/8/10 \
        tiresias:queue_limits=1/2/3/4/5/6/7 "tiresias:index=gittins,queue_limits=100,samples=$work/worked-service" \
        "tiresias:index=gittins,queue_limits=4/8,samples=$work/worked-service" \
        "tiresias:index=gittins,queue_limits=2/4/6/8,samples=$work/worked-service"; do
        run_one "$work/worked.csv" -c 1x2 -p "$policy" --outputs=summary
        printf '| `%s` | %.2f |\n' "${policy%,samples=*}" \
            "$(jq .metrics.mean_jct "$work/one/summary.json")" >>"$work/worked"
    done
}

# ---- page ---------------------------------------------------------------------------------------

quick_is() { echo "the first jobs of each month of Venus"; }

beside() { # METRIC PAPER,... PLACE...
    local IFS=';'
    table beside "$*"
}

relative() { # REFERENCE FIGURE,... NAME=PLACE...
    local IFS=';'
    table relative "$*"
}

exact_table() {
    title "published | here | jobs | that differ | mean JCT, s, published | here | test"
    cat "$work/exact"
    awk '$1 == "mean_jct" {
            printf "\nThe one unequal mean is due to ties: some jobs of 0e4a51 were submitted in the same second, the\n" \
                "artifact sorts them unstably, and 100 random orders of ours (`--tie-jitter=100`) span\n" \
                "%.0f to %.0f s.\n", $(NF - 1), $NF }' "$work/jittered"
}

commands() { sort -u "$work/commands"; }

worked_table() {
    title "policy | mean JCT"
    cat "$work/worked"
}

experiments
exactly
worked
put_page
