# SPDX-License-Identifier: GPL-3.0-or-later
# Names become numbers, told where they are first met; ids that are none those of their rows. What the
# format does not hold is listed.
cat >jobs.csv <<'END'
job_id,submit_time,gpus,duration,user,vc,status,model
a,100,2,25.4,ann,7,Pass,LSTM
9,160,1,3,bob,,Failed,
END
"$HORUS" trace convert jobs.csv -o jobs.swf
cat jobs.swf
"$HORUS" trace convert jobs.swf -o - --to csv -q | cut -d, -f1-6,22
