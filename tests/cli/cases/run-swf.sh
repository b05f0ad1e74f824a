# SPDX-License-Identifier: GPL-3.0-or-later
# jobs.swf by hand. One GPU, first come first served, real times in seconds:
#   a 0 to 10.5, b from 0.5 waits until 10.5, runs to 12, c from 1.4 waits until 12, runs to 12.2,
#   d wants 2 GPUs (rejected), e from 1.6 is cut by --until 13 after it began at 12.2, f waits still.
# Rounded instants (.5 up): a 0-11; b 1: 11-12, so wait 10, run 1; c 1: 12-12, wait 11, run 0;
# e 2: starts at 12, wait 10. The name of a VC cannot end the comment. Users z, y; y comes second.
printf '%s\n' job_id,submit_time,gpus,duration,user,vc,status a,0,1,10.5,z,,completed \
    'b,0.5,1,1.5,y,"two
lines",failed' 'c,1.4,1,0.2,z,,cancelled' 'd,1.5,2,1,,,' 'e,1.6,1,9,z,last,' 'f,2,1,1,y,last,' >t.csv
"$HORUS" run t.csv -c 1x1:V100 --until 13 --outputs=swf -q -o out >/dev/null
ls out
cat out/jobs.swf
jq -c '.outputs[] | select(.name == "jobs.swf") | .rows' out/manifest.json
