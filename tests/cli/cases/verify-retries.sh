# SPDX-License-Identifier: GPL-3.0-or-later
# A failure that is told a second too early, and one that is told as a preemption, do not pass.
cat >t.csv <<'END'
job_id,submit_time,gpus,duration,attempts
J0,0,1,30,10/20
J1,5,1,15,
END
"$HORUS" run t.csv -c 1x1 --retries=attempts -q -o out >/dev/null
"$HORUS" verify out | grep -e tried -e passed
cp -r out told
sed -i 's/^J0,0,10,0,1,1,failure/J0,0,10,0,1,1,preempt/' told/segments.csv
"$HORUS" verify told | grep -A2 -e what.segments -e tried | grep -v ^ok
sed -i 's/^J0,0,10,/J0,0,9,/' out/segments.csv
"$HORUS" verify out | grep -A1 -e tried -e done.its -e summary
