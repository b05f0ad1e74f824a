# SPDX-License-Identifier: GPL-3.0-or-later
# Two attempts of 10 s and 20 s with a gap of 5 s between: one job of 30 s that fails once. Written
# again they follow each other; what is written then comes back the same whatever it goes through.
cat > log.json <<'END'
[{"status": "Failed", "vc": "v", "jobid": "app_1", "user": "u", "submitted_time": "2017-10-09 07:00:00",
  "attempts": [{"start_time": "2017-10-09 07:00:03", "end_time": "2017-10-09 07:00:13",
                "detail": [{"ip": "m7", "gpus": ["gpu0", "gpu3"]}, {"ip": "m9", "gpus": ["gpu1"]}]},
               {"start_time": "2017-10-09 07:00:18", "end_time": "2017-10-09 07:00:38",
                "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1", "gpu2"]}]}]},
 {"status": "Pass", "vc": null, "jobid": "app_2", "user": "None", "submitted_time": "2017-10-09 07:00:01",
  "attempts": [{"start_time": "2017-10-09 07:00:01", "end_time": "2017-10-09 07:00:01", "detail": []}]}]
END
"$HORUS" trace convert log.json --retries=attempts --cpu-jobs=keep -o one.csv.zst
"$HORUS" trace convert one.csv.zst -q --retries=attempts --cpu-jobs=keep -o two.json
"$HORUS" trace convert two.json -q --retries=attempts --cpu-jobs=keep -o three.csv
"$HORUS" trace convert three.csv -q --retries=attempts --cpu-jobs=keep -o four.json.gz
gzip -dc four.json.gz | cmp - two.json && cat three.csv two.json
"$HORUS" trace convert log.json --to tiresias -o - # 38 - 3 = 35 s, the gap included
"$HORUS" trace convert one.csv.zst -q -o folded.csv
