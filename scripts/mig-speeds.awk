# SPDX-License-Identifier: GPL-3.0-or-later
#
# Steps a second of each job on an A100 and on its MIG slices, as jobs alone of `horus calibrate speed`, from
# MISO's speeds relative to the whole GPU (miso_a100_summary.csv: it_7g in seconds, empty where a job did not fit).
#     awk -f scripts/mig-speeds.awk miso_a100_summary.csv
BEGIN {
    FS = ","
    split("cyclegan CycleGAN deepspeech2 DeepSpeech2 embedding Embedding gnn GNN mobilenet MobileNet " \
        "resnet ResNet transformer Transformer bert BERT", pair, " ")
    for (i = 1; i in pair; i += 2)
        model[pair[i]] = pair[i + 1]
    print "job_a,job_b,gpu,rate_a,rate_b"
}

NR == 1 {
    for (i = 1; i <= NF; i++) {
        if ($i == "it_7g")
            step = i
        if (sub(/_speed$/, "", $i))
            slice[i] = $i == "7g.40gb" ? "A100" : "A100-" $i
    }
    next
}

{
    for (i = 1; i <= NF; i++)
        if (i in slice && $i != "")
            printf "%s/MISO/%s/fp32,,%s,%.6g,\n", model[$1], $2, slice[i], $i / $step
}
