# SPDX-License-Identifier: GPL-3.0-or-later
# A batch is a whole number from 1 on, or nothing; 64.0 is what programs make of 64 beside a gap.
for batch in abc -1 0 2.5; do
    printf 'job_id,submit_time,gpus,duration,model,batch\na,0,1,10,ResNet18,%s\n' "$batch" >t.csv
    "$HORUS" trace info t.csv
done
printf 'job_id,submit_time,gpus,duration,model,batch\na,0,1,10,ResNet18,64.0\nb,1,1,10,A3C,\n' >t.csv
"$HORUS" trace assign t.csv -o - 2>/dev/null | cut -d, -f1,8,10
