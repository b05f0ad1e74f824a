# SPDX-License-Identifier: GPL-3.0-or-later
# What is wrong with a file of estimates is said before anything runs, also by --dry-run, and by
# compare before the first of its runs; a file that no source asks for, and a source without its
# file, are contradictions.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
0,0,1,10
END
say() { "$HORUS" "$@" 2>&1 >/dev/null | cat; echo "exit ${PIPESTATUS[0]}"; }
run() { say run t.csv -c 1x1 -q -o out -p "$1"; }
bad() {
    printf '%b' "$1" >e.csv
    run sjf:pred=file,pred_file=e.csv
}
bad 'job_id,estimate\n0,10 s\n'
bad 'job_id,estimate\n0,-3\n'
bad 'job_id,estimate\n0,1\n0,1\n'
bad 'job_id,seconds\n0,1\n'
say run t.csv -c 1x1 -q -o out -p sjf:pred=file,pred_file=e.csv --dry-run
say compare t.csv -c 1x1 -q -o out -p fifo -p sjf:pred=file,pred_file=e.csv
run sjf:pred=file,pred_file=nowhere.csv
run sjf:pred=file,pred_file=-
run sjf:pred=file
run sjf:pred_file=e.csv
say run t.csv -c 1x1 -q -o out -p sjf:pred=file --dry-run
say compare t.csv -c 1x1 -q -o out -p fifo -p sjf:pred=file
[ -e out ] || echo no directory is left
