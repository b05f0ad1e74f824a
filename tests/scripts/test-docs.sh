#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every command of the documentation works. Code blocks are executed, command by command, in a copy of
# the tree in which the made-up names of the pages (jobs.csv, my-pairs.csv, ...) exist; each page has its
# own copy, and its blocks run in order. A line `# = COMMAND` after a command is executed, too, and both
# must print the same first number. `horus ...` and `make ...` in running text must name existing
# verbs, options and targets.
#   tests/scripts/test-docs.sh [PAGE]...          all pages without a name; `make check-docs`
# A block must begin with a command of `commands`, or with a text of `shown`, which lists blocks that
# are no commands; otherwise it fails. Targets that take too long are in `held`, with the test that runs
# them.
subject=docs
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL VARIANT BUILD CC OPT CFLAGS LDFLAGS
limit_s=300

# First words of command blocks.
commands='^(horus|make|jq|sqlite3|duckdb|datamash|mlr|gnuplot|Rscript|python3|awk|sed|for|cd|export|echo|printf|ls|cat|head'
commands+='|cc|cut|pdflatex|seq|sort|git|man|parallel|sbatch|srun|squeue|"[$]HORUS"|(scripts|tests|build)/[^ ]+)$'

# First lines of other blocks: printed results, examples of files.
shown() { # TEXT
    case $1 in
    'traces/sample.csv on 8x8:V100' | 'traces/sample.csv (csv) on '*) ;; # held by test-readme.sh
    'error: '* | *': error: '*) ;;                                      # what the program said
    *' running  waiting  allocated '*) ;;                               # held by test-reproduce-openb.sh
    '{'* | '[{'* | '// '*) ;;                                           # JSON
    'sacct '*) ;;                                                       # of Slurm, tests/cli/format-slurm.t
    'No such file.') ;;                                                 # a case of tests/cli
    'executable  '*) ;;                                                 # an untested submit file
    '@'*'{'*) ;;                                                        # BibTeX
    [0-9]'  '*'.c '*) ;;                                                # a call list of src/README.md
    ' '*[0-9]'  '*'.c '*) ;;
    *,*,*,*) [ "${1/ /}" = "$1" ] ;;                                    # CSV: no blanks
    *) false ;;
    esac
}

# Targets that are only written out here (make -n), and the test that runs them.
held() { # TARGET
    case $1 in
    demo) echo "test-readme.sh runs its script" ;;
    check | tests | all | '') echo "what runs this test builds and runs it" ;;
    check-all | asan) echo "an hour; before a release" ;;
    cov) echo "the same tests again, with coverage" ;;
    bench) echo "minutes, and needs a quiet machine" ;;
    bench-all) echo "hours, and needs a quiet machine" ;;
    bench-instr) echo "minutes; before a release" ;;
    same) echo "ten minutes; before a change for speed is taken" ;;
    lint | format) echo "test-lint.sh, and CI" ;;
    determinism) echo "test-determinism.sh runs its short form" ;;
    calibrate) echo "test-shipped-models.sh runs its script" ;;
    calibrate-report) echo "test-calibrate-report.sh" ;;
    reproduce-horus | reproduce-tiresias | reproduce-lucid | reproduce-chronus | reproduce-synergy | reproduce-muri | reproduce-validation) echo "test-reproduce.sh runs its short form" ;;
    workload-report) echo "test-workload-report.sh runs its script" ;;
    reproduce-held-out) echo "test-workload-report.sh runs its short form" ;;
    reproduce-gavel) echo "ten minutes; before a release" ;;
    reproduce-openb) echo "test-reproduce-openb.sh runs its script" ;;
    reproduce-gandiva | reproduce-salus | reproduce-antman) echo "test-reproduce-sharing.sh runs its short form" ;;
    check-docs) echo "this is it" ;;
    man | install) echo "builds; the pages are held by the cases help-form*" ;;
    *) false ;;
    esac
}

# The expected exit code of a command.
wanted_code() { # COMMAND
    case $1 in
    *'run nowhere.csv'*) echo 4 ;; # an example of a message
    *) echo 0 ;;
    esac
}

# Why a command cannot be executed here; empty if it can.
missing() { # COMMAND
    local word
    for word in sqlite3 duckdb datamash mlr gnuplot Rscript parallel sbatch man pdflatex; do
        [[ $1 =~ (^|[ |;&])${word}[\ ] ]] && ! command -v $word >/dev/null && echo "$word is not installed"
    done
    [[ $1 =~ horus\ plot.*\.(pdf|png) ]] && ! command -v rsvg-convert >/dev/null && echo "rsvg-convert is not installed"
    for word in pandas evalys; do
        [[ $1 =~ (import|from)\ $word ]] && ! python3 -c "import $word" 2>/dev/null &&
            echo "python's $word is not installed"
    done
    case $1 in
    *--sshlogin*) echo "it needs the machines that it names" ;;
    scripts/sweep-slurm.sh*) echo "it needs a Slurm cluster: its own test starts one" ;;
    scripts/sweep-parallel.sh*) command -v parallel >/dev/null || echo "parallel is not installed" ;;
    *results/of-parquet/*) command -v duckdb >/dev/null || echo "duckdb is not installed: it makes that run" ;;
    esac
    [[ $1 != *[$]HORUS_DATA* ]] || [ -d "$HORUS_DATA" ] || echo "third parties' data is not here"
}

# ---- the copy of the tree ----

# Jobs of the samples under the names that pages use; jobs.csv also has columns of other names.
stand_ins() {
    awk -F, -v OFS=, '{ print $0, (NR == 1 ? "timestamp,num_gpu" : $4 OFS $5) }' traces/sample.csv >jobs.csv
    cp configs/models/example-pairs.csv my-pairs.csv
    cp traces/sample-philly.json cluster_job_log
    mkdir -p data/Venus results
    echo '{"config": {"trace": "traces/sample.csv", "cluster": "8x8:V100", "max_jobs": 200},
        "grid": {"policy": ["fifo", "srtf"], "load": [0.8, 1]}}' >load.json
    cp traces/sample-helios.csv data/Venus/cluster_log.csv
    awk -F, 'NR > 60 { exit } NR == 1 { print "job_id,num_gpu,submit_time,duration"; next }
        { print NR - 1 "," $5 "," $4 "," $6 }' traces/sample.csv >60_job.csv
    # PAI and openb: demands of a quarter, so that GPUs are divided.
    awk -F, -v OFS=, 'NR == 1 { print "job_id,num_inst,submit_time,num_cpu,num_gpu,gpu_type,duration,user"; next }
        { print $1, 1, $4, 4, $5 / 4, "T4", $6, $2 }' traces/sample.csv >pai_job_no_estimate_100K.csv
    awk -F, -v OFS=, 'NR > 1 { print $1, "worker", $5, "Terminated", $4, $4 + $6, 400, 8, 25, "T4" }' \
        traces/sample.csv >pai_task_table.csv
    awk -F, -v OFS=, 'NR == 1 { print "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase" \
            ",creation_time,deletion_time,scheduled_time"; next }
        { print $1, 4000, 8192, ($5 > 8 ? 8 : $5), ($5 > 1 ? 1000 : 250), "", "LS", "Running", $4, $4 + $6, $4 }' \
        traces/sample.csv >openb_pod_list_default.csv
    awk 'BEGIN { print "sn,cpu_milli,memory_mib,gpu,model"
        for (i = 0; i < 8; i++) print "openb-node-" i ",96000,393216,8,G2" }' >openb_node_list_gpu_node.csv
    awk -F, -v OFS=, 'NR == 1 { print "job_id,gpu_num,submit_time,start_time,end_time,type,state"; next }
        { print $1, $4, $8 "+08:00", $9 "+08:00", $10 "+08:00", "Other", $7 }' traces/sample-helios.csv >trace_seren.csv
    "$HORUS" trace convert traces/sample.csv -o HPC2N-2002-2.2-cln.swf -q 2>/dev/null
    awk -F, -v OFS=, 'NR == 1 { print "job_id,num_gpu,submit_time,duration,expect_time_list"; next }
        { print $1, $5, $4, $6, "" }' traces/sample.csv >trace_job_Philly_MIX1.csv
    awk -F, -v OFS=, 'NR == 1 { print "job_id,submission_time,duration,num_gpu"; next } { print $1, $4, $6, $5 }' \
        traces/sample.csv | tee itp.csv | awk -F, -v OFS=, 'NR == 1 { print $0 ",num_iteration,model_name,deadline,batch_size"; next }
        { print $0, 9, "bert", $2 + 2 * $3, 64 }' >elasticflow.csv
    printf '%s\n' job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type \
        1,13,A10,20,1,1,0,500,HP 2,57,A100-SXM4-80GB,15,1,16,60,900,Spot >job_info_df.csv
    printf '%s\n' node_name,gpu_model,gpu_capacity_num,cpu_num 0,A10,1,128 1,A100-SXM4-80GB,8,128 \
        2,A100-SXM4-80GB,8,128 >node_info_df.csv
    printf '%s\n' instance_sn,app_name,cpu_request,gpu_request,creation_time,scheduled_time,deletion_time \
        i0,a0,12,1,,, i1,a1,12,1,100.0,130.0,400.0 i2,a1,64,0,100.0,130.0,400.0 >disaggregated_DLRM_trace.csv
    printf '%s\n' '# a comment' \
        job_id,user,tenant,class,submit_time,num_chips,chip_type,num_nodes,duration_s,walltime_limit_s,final_status \
        a,u0,t0,eval,0,1,h100,1,120,600,COMPLETED b,u1,t1,pretrain,30000001,16,h100,2,150,,CANCELED >fleetsim.csv
    # Gavel's jobs: a step a second.
    awk -F, -v OFS='\t' 'NR > 1 { print "LM (batch size 5)", "python3 main.py", "--steps", 0, $6, $4, $5 }' \
        traces/sample.csv >7f04ca.trace
    echo '{"v100": {"LM (batch size 5)": {"null": 1}}}' >oracle_throughputs.json
}

# Files that a page expects beside its commands.
prepare() { # PAGE
    case $1 in
    results/README.md) HORUS_DEMO_RUNS=results scripts/demo.sh "$HORUS" >/dev/null ;;
    esac
}

make_tree() {
    mkdir -p "$work/tree/build/release" "$work/bin"
    # Runs kept in results/ are not part of the tree.
    (cd "$top" && tar -c --exclude=./build --exclude=./.git --exclude='./results/*' . |
        tar -x -C "$work/tree" && cp -r results/*.md results/reference "$work/tree/results") || exit 1
    ln -s "$HORUS" "$work/tree/build/release/horus"
    ln -s "$HORUS" "$work/bin/horus"
    # The python that has Debian's packages.
    if ! python3 -c 'import pandas' 2>/dev/null && /usr/bin/python3 -c 'import pandas' 2>/dev/null; then
        ln -s /usr/bin/python3 "$work/bin/python3"
    fi
    export PATH="$work/bin:$PATH"
}

# ---- one page ----

say() { # ok|FAIL|skip TEXT
    echo "$1 - $page:$at: $2"
    [ "$1" != FAIL ] || touch "$work/failed"
}

title() { # COMMAND: its first line, without a comment
    local first=${1%%$'\n'*}
    echo "${first%%  *#*}"
}

first_number() {
    grep -oE -- '-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?' "$1" | head -1
}

# The last command's output is in $work/out; this command's must begin with the same number.
compare() { # COMMAND
    bash -c "$1" >"$work/other" 2>"$work/err" </dev/null || {
        say FAIL "$1"
        cat "$work/err"
        return
    }
    local one other
    one=$(first_number "$work/out") other=$(first_number "$work/other")
    if awk -v a="$one" -v b="$other" 'BEGIN {
        d = a > b ? a - b : b - a; m = a < 0 ? -a : a
        exit !(a != "" && b != "" && d <= 1e-6 * m) }'; then
        say ok "= $1: $other"
    else
        say FAIL "= $1: $other, and above $one"
    fi
}

run_make() { # COMMAND
    local word why='' reasons='' is_held=yes
    local -a words=()
    # shellcheck disable=SC2086 # words
    for word in ${1#make}; do
        case $word in
        '#'* | '&&' | ';' | '|') break ;;
        -*) continue ;;
        *=*) ;;
        *)
            why=$(held "$word") || is_held=no
            reasons+=${reasons:+; }$why
            ;;
        esac
        words+=("$word")
    done
    : "${reasons:=$(held all)}"
    if [ $is_held = no ]; then
        run_plain "$1"
    elif make -n "${words[@]}" >"$work/out" 2>"$work/err" </dev/null; then
        say ok "$(title "$1") (written out only: $reasons)"
    else
        say FAIL "$1 cannot be written out"
        tail -5 "$work/err"
    fi
}

run_plain() { # COMMAND
    local code wanted
    wanted=$(wanted_code "$1")
    timeout "$limit_s" bash -c "$1" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    if [ "$code" -eq "$wanted" ]; then
        say ok "$(title "$1")"
    else
        say FAIL "$(title "$1"): exit code $code, expected $wanted"
        tail -15 "$work/err"
    fi
}

run_command() { # COMMAND
    local why
    why=$(missing "$1" | head -1)
    skipped=$why
    if [ -n "$why" ]; then
        [[ $why != third* ]] || without_data=yes
        say skip "$(title "$1"): $why"
    elif [ -n "$without_data" ]; then # a command of the same block may need outputs that were not made
        say skip "$(title "$1"): follows one that wants third parties' data"
    elif [[ $1 == cd\ * || $1 == export\ * ]]; then
        if eval "$1"; then say ok "$1"; else say FAIL "$1"; fi
    elif [[ $1 == make || $1 == make\ * ]]; then
        run_make "$1"
    else
        run_plain "$1"
    fi
}

# True if the command is complete: a line may continue after a backslash, an open quote, a pipe.
is_whole() { # TEXT
    [[ ${1: -1} != \\ ]] && bash -n <<<"$1" 2>/dev/null
}

run_line() { # TEXT
    [ -z "$command" ] || command+=$'\n'
    if [ -z "$command" ]; then
        case $1 in
        '# = '*)
            [ -n "$skipped" ] || compare "${1#\# = }"
            return
            ;;
        '' | '#'*) return ;;
        esac
        at=$line
    fi
    command+=$1
    is_whole "$command" || return
    run_command "$command"
    command=
}

check_inline() { # TEXT: `make X Y` and `horus VERB --option`
    local verb word help wrong=''
    # shellcheck disable=SC2086 # words
    set -- $1
    verb=${2-help}
    case $verb in
    -* | [A-Z]* | *.csv | ...) verb=run ;;
    esac
    if [ "$1" = make ]; then
        verb=
    elif ! help=$(horus "$verb" --help all 2>/dev/null); then
        wrong+=": there is no command $verb"
    fi
    for word in "${@:2}"; do
        case $verb:$word in
        *:'&&' | *:'#'*) break ;;
        :*=* | :-* | *:--help* | *:--version) ;;
        :*) grep -q "^$word:" Makefile || wrong+=": there is no target $word" ;;
        *:--[a-z]*) [ -n "$wrong" ] || grep -qE -- "^ *(-., )?${word%%=*}([ =]|\$)" <<<"$help" ||
            wrong+=": $verb has no option ${word%%=*}" ;;
        esac
    done
    if [ -z "$wrong" ]; then say ok "\`$*\`"; else say FAIL "\`$*\`$wrong"; fi
}

check_page() { # PAGE
    local page=$1 file=$1 at line text command='' skipped='' without_data='' is_code='' first
    [[ $page == /* ]] || file=$top/$page
    rm -rf "$work/page"
    cp -al "$work/tree" "$work/page"
    cd "$work/page" || exit 1
    stand_ins && prepare "$page"
    while IFS= read -r text; do
        case $text in
        'block '*)
            at=${text#block } without_data='' is_code=yes first=yes command=''
            continue
            ;;
        'inline '*)
            text=${text#inline }
            at=${text%%$'\t'*}
            check_inline "${text#*$'\t'}"
            continue
            ;;
        esac
        line=${text%%$'\t'*} text=${text#*$'\t'}
        if [ "$first" = yes ] && [[ -n $text && ! $text =~ ^#\  ]]; then
            first=no
            if ! [[ ${text%% *} =~ $commands || $text =~ ^[A-Z_]+=[^\ ]*\ +[a-z] ]]; then
                is_code=no
                shown "$text" || say FAIL "a block that is no command, and test-docs.sh does not know it: $text"
            fi
        fi
        [ "$is_code" = no ] || run_line "$text"
    done < <(awk -f "$top/tests/scripts/docs-blocks.awk" "$file")
    [ -z "$command" ] || say FAIL "a command without an end: $command"
}

make_tree
if [ $# -eq 0 ]; then
    set -- README.md results/*.md traces/README.md configs/README.md configs/*/README.md \
        scripts/README.md tests/README.md src/README.md
fi
for page in "$@"; do
    (check_page "$page")
done
[ ! -e "$work/failed" ]
