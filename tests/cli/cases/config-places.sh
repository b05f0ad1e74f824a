# SPDX-License-Identifier: GPL-3.0-or-later
# What only the option itself can read is refused where it stands, too: each parameter of a policy, a
# sample, a list of outputs, a format; all in one go.
cat >c.json <<'END'
{
  "$schema": "run.schema.json",
  "policy": {
    "name": "srtf",
    "form": "evicted",
    "cost_tabel": [7, 30]
  },
  "sample": "sometimes",
  "outputs": "jobs,segmints",
  "format": "philli",
  "interference": "const:lots"
}
END
"$HORUS" run traces/sample.csv -o out --config c.json
END_OF_FIRST=$?
echo '{"policy": ["fifo", "sjf:scan=fits"]}' >d.json
"$HORUS" compare traces/sample.csv --config d.json
exit $END_OF_FIRST
