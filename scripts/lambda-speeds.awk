# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rates of jobs alone on one GPU, as `horus calibrate speed` reads them: Lambda's training throughputs on GPU
# types from the V100 to the H100 (container v1, one software on all of them), and the jobs of speed.json, which
# are on K80, P100 and V100. What the two have in common is the V100: every row is compared with that of its own.
#     awk -f scripts/lambda-speeds.awk speed.json lambda_train_throughput.csv
BEGIN {
    split("resnet50 ResNet50/ImageNet ResNet-50 ssd SSD300/COCO ResNet-50 bert_base_squad BERT/SQuAD Transformer " \
        "bert_large_squad BERT-large/SQuAD Transformer transformerxlbase TransformerXL-base/Wikitext103 Transformer " \
        "transformerxllarge TransformerXL-large/Wikitext103 Transformer gnmt GNMT/WMT16 LM " \
        "tacotron2 Tacotron2/LJSpeech speech waveglow WaveGlow/LJSpeech speech", word, " ")
    for (i = 1; i in word; i += 3) {
        model[word[i]] = word[i + 1]
        family[word[i]] = word[i + 2]
    }
    split("V100_16GB V100 A100_40GB_PCIe A100 A100_80GB_PCIe A100-80GB-PCIe A100_80GB_SXM4 A100-80GB " \
        "H100_80GB_PCIe_Gen5 H100-PCIe H100_80GB_SXM5 H100 A10 A10 RTX_A6000 RTXA6000 RTX_3090 RTX3090 " \
        "RTX_4090 RTX4090 RTX_6000_Ada RTX6000Ada Quadro_RTX_8000 RTX8000", name, " ")
    for (i = 1; i in name; i += 2)
        type[name[i]] = name[i + 1]
    print "job_a,job_b,gpu,rate_a,family"
}

# a job of speed.json: its profile, family and speeds are between quotation marks
FNR == NR {
    if (split($0, part, "\"") > 8 && part[2] == "profile")
        for (i = 12; part[i] != ""; i += 2) {
            rate = part[i + 1]
            gsub(/[^0-9.e-]/, "", rate)
            printf "%s,,%s,%s,%s\n", part[4], part[i], rate, part[8]
        }
    next
}

{
    split($0, field, ",")
    gpu = field[1]
    gsub(/ /, "_", gpu)
    if (field[2] == 1 && field[4] == "v1" && gpu in type)
        printf "%s//%s,,%s,%s,%s\n", model[field[5]], field[3] == "fp16" ? "amp" : field[3], type[gpu], field[7],
            family[field[5]]
}
