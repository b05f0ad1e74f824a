# SPDX-License-Identifier: GPL-3.0-or-later
# A decisions.csv that cannot be read is refused before the first word: standard output is whole or
# empty. Of another job a bad row is no matter.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration
a,0,1,20
b,0,1,10
END
"$HORUS" run t.csv -c 1x2 --decisions -q -o out >/dev/null
cp out/decisions.csv whole
for damage in s/^time,/when,/ '/,b,/s/^0,/soon,/'; do
    sed "$damage" whole >out/decisions.csv
    for job in a b; do
        for form in "" --json; do
            # shellcheck disable=SC2086 # no word, or one
            "$HORUS" explain out --job "$job" $form >said
            echo "$job$form: exit $?, $(wc -c <said | sed 's/[1-9][0-9]*/some/') bytes" >&2
        done
    done
done
