# SPDX-License-Identifier: GPL-3.0-or-later
#
# Workloads of scripts/reproduce-antman.sh, after Xiao et al., "AntMan" (OSDI'20):
#     awk -v seed=W -f scripts/draws.awk \
#         -f scripts/antman-workloads.awk configs/profiles.csv
# Native CSV, in whole seconds: 400 jobs of two tenants, submitted within two hours. Their models are
# nine of the catalogue, of five domains; every job draws one of the measured batches and precisions.
# The requests of both tenants have the same distribution: each job belongs to one of them by a fair coin.

function model(domain, name, data_set) { domain_of[name "," data_set] = domain }

BEGIN {
    FS = ","
    begin_stream(7919 * (seed + 1))
    domains = split("cv nlp speech recommendation advertising", domain, " ")
    model("cv", "ResNet50", "ImageNet")
    model("cv", "VGG", "CIFAR-10")
    model("nlp", "BERT", "SQuAD")
    model("nlp", "LSTM", "Wikitext2")
    model("speech", "DeepSpeech2", "MISO")
    model("recommendation", "NeuMF", "MovieLens")
    model("recommendation", "GNN", "MISO")
    model("advertising", "Embedding", "MISO")
    model("advertising", "MobileNet", "MISO")
}

FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
{
    name = $column["model"] "," $column["dataset"]
    if (!(name in domain_of) || $column["util"] == "")
        next
    d = domain_of[name]
    if (!(name in rows))
        names[d, ++models[d]] = name
    row[name, ++rows[name]] = name "," $column["batch"] "," $column["precision"]
}

END {
    print "job_id,submit_time,gpus,duration,model,dataset,batch,precision,vc,class"
    for (i = 1; i <= 400; i++)
        submit[i] = random() % 7200
    sort_numbers(submit, 400)
    for (i = 1; i <= 400; i++) {
        d = domain[1 + random() % domains]
        name = names[d, 1 + random() % models[d]]
        u = random() % 100
        gpus = u < 70 ? 1 : u < 82 ? 2 : u < 93 ? 4 : 8
        length_s = int(3600 * exp(normal()))
        length_s = length_s < 60 ? 60 : length_s > 36000 ? 36000 : length_s
        vc = random() % 2 ? "A,guaranteed" : "B,opportunistic"
        print i "," submit[i] "," gpus "," length_s "," row[name, 1 + random() % rows[name]] "," vc
    }
}
