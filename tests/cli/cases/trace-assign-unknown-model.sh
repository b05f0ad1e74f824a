# SPDX-License-Identifier: GPL-3.0-or-later
# Names that the catalogue does not have.
cat > jobs.csv <<END
job_id,submit_time,gpus,duration,model,batch
a,0,1,10,NoSuchNet,
b,1,1,10,ResNet18,48
END
"$HORUS" trace assign jobs.csv --assign=columns -o out.csv
