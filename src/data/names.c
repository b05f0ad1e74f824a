/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fmt.h"

/* Memory of one GPU in GiB by the vendor's datasheets, in the size of the traces' clusters: Tesla
 * V100 (NVIDIA 2018: 16 GB HBM2; also with 32 GB), P100 (2016: 16 GB), P40 (2017: 24 GB), K80
 * (2015: 24 GB on a board of two GPUs), A100 (2020: 40 GB; with 80 GB 2021), T4 (2018: 16 GB), A10
 * (2021: 24 GB); V100M16 and V100M32 are openb's names for both V100 variants, V100M32 also PAI's.
 * The instances are those of an A100 with 40 GB (NVIDIA, MIG User Guide). Others: NVIDIA's
 * datasheets of 2016 to 2024. GPU is the type of nodes that state none. */
static const struct {
    const char *name;
    uint32_t gib;
} types[] = {
    {"V100", 16},         {"P100", 16},       {"P40", 24},          {"K80", 12},
    {"A100", 40},         {"T4", 16},         {"A10", 24},          {"V100M16", 16},
    {"V100M32", 32},      {"P4", 8},          {"RTX2080", 8},       {"RTX2080Ti", 11},
    {"RTX3090", 24},      {"RTX4090", 24},    {"RTX8000", 48},      {"RTXA6000", 48},
    {"RTX6000Ada", 48},   {"A30", 24},        {"A40", 48},          {"L4", 24},
    {"L40", 48},          {"L40S", 48},       {"A100-80GB", 80},    {"A100-80GB-PCIe", 80},
    {"A800", 80},         {"H20", 96},        {"H800", 80},         {"H100", 80},
    {"H100-PCIe", 80},    {"H200", 141},      {"A100-4g.20gb", 20}, {"A100-3g.20gb", 20},
    {"A100-2g.10gb", 10}, {"A100-1g.5gb", 5}, {"GPU", 0},
};
#define TYPES HS_COUNT_OF(types)

/* Words for the vendor of a GPU and its board. */
static const char vendors[] = "nvidia,tesla,geforce";
static const char boards[] = "sxm,sxm2,sxm3,sxm4,sxm5,pcie,hbm2,hbm2e,hbm3,nvl";

#define NAME_MAX_LEN 63

static const char *find(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcasecmp(types[i].name, name) == 0)
            return types[i].name;
    return NULL;
}

const char *hs_gpu_type_name(const char *text, size_t len)
{
    char whole[NAME_MAX_LEN + 1], form[NAME_MAX_LEN + 16],
        base[NAME_MAX_LEN + 1] = "", joined[2 * NAME_MAX_LEN] = "";
    int64_t mib = 0;
    if (len > NAME_MAX_LEN)
        return NULL;
    for (size_t i = 0; i < len; i++)
        whole[i] = (char)tolower((unsigned char)text[i]);
    whole[len] = '\0';
    for (char *rest, *word = strtok_r(whole, " -_", &rest); word != NULL;
         word = strtok_r(NULL, " -_", &rest)) {
        const size_t end = strlen(word);
        if (hs_is_listed(vendors, ',', word))
            continue;
        hs_append(joined, sizeof joined, "%s%s", joined[0] != '\0' ? "-" : "", word);
        if (hs_is_listed(boards, ',', word))
            continue;
        if (end - 3 < 5 && strcasecmp(word + end - 2, "gb") == 0 &&
            hs_parse_int64(word, end - 2, &mib)) /* one to five digits */
            mib *= 1024;
        else
            hs_append(base, sizeof base, "%s", word);
    }
    const char *name = find(joined); /* boards for which models know different speeds */
    if (name == NULL)
        name = find(base);
    if (name == NULL || mib == 0 || hs_gpu_type_mem_mib(name) == mib)
        return name;
    (void)snprintf(form, sizeof form, "%sM%d", base, (int)(mib / 1024 % 10000));
    name = find(form);
    (void)snprintf(form, sizeof form, "%s-%dGB", base, (int)(mib / 1024 % 10000));
    return name != NULL ? name : find(form);
}

uint32_t hs_gpu_type_mem_mib(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].gib * 1024;
    return 0;
}

/* Watts of the board: mean power of training runs at the default limit, of the run that drew least,
 * with the GPU nearly idle (so idle is not underestimated), and of the one that drew most. V100,
 * P100 (250 W), A40 (300 W): NCF on MovieLens-1M, and BERT on SQuAD or Sentiment140, You et al.,
 * Zeus, NSDI'23, its published traces. A100: MobileNet at a utilization of .39, and CycleGAN at
 * .96, Li et al., MISO, SoCC'22, its published profiles. */
bool hs_gpu_type_watts(const char *name, uint32_t *idle, uint32_t *active)
{
    static const struct {
        const char *name;
        uint32_t idle, active;
    } measured[] = {{"V100", 36, 228}, {"P100", 33, 179}, {"A40", 83, 277}, {"A100", 67, 247}};
    for (size_t i = 0; i < HS_COUNT_OF(measured); i++)
        if (strcmp(measured[i].name, name) == 0) {
            *idle = measured[i].idle;
            *active = measured[i].active;
            return true;
        }
    return false;
}

bool hs_gpu_type_is(const char *type, const char *text, size_t len)
{
    if (strncasecmp(type, text, len) == 0 && type[len] == '\0')
        return true;
    const char *name = hs_gpu_type_name(text, len);
    return name != NULL && strcmp(name, type) == 0;
}

void hs_gpu_types_text(char text[HS_GPU_TYPES_TEXT])
{
    text[0] = '\0';
    for (size_t i = 0; i + 1 < TYPES; i++) /* the last is "GPU" */
        hs_append(text, HS_GPU_TYPES_TEXT, "%s%s", i > 0 ? ", " : "", types[i].name);
}

/* Gavel, scheduler/job_table.py and workloads/. */
static const struct {
    const char *family, *model, *dataset;
} known[] = {
    {"ResNet-18", "ResNet18", "CIFAR-10"},
    {"ResNet-50", "ResNet50", "ImageNet"},
    {"Transformer", "Transformer", "Multi30k"},
    {"LM", "LSTM", "Wikitext2"},
    {"Recommendation", "Recoder", "MovieLens"},
    {"CycleGAN", "CycleGAN", "Monet2Photo"},
    {"A3C", "A3C", "Pong"},
};

/* Parses a positive whole number up to `max`, followed exactly by `tail`. */
static bool read_count(const char *text, const char *tail, int64_t max, int64_t *out)
{
    size_t len = strspn(text, "0123456789");
    return len > 0 && strcmp(text + len, tail) == 0 && hs_parse_int64(text, len, out) &&
           *out >= 1 && *out <= max;
}

static bool template_parse(const char *text, size_t len, struct hs_gavel_job *job)
{
    static const char batch[] = " (batch size ";
    int64_t size;

    job->gpus = 0;
    if (len == 0 || len >= sizeof job->family)
        return false;
    memcpy(job->family, text, len);
    job->family[len] = '\0';
    job->batch[0] = '\0';
    char *found = strstr(job->family, batch);
    if (found != NULL) {
        if (found == job->family || !read_count(found + strlen(batch), ")", 1000000000, &size))
            return false;
        (void)snprintf(job->batch, sizeof job->batch, "%" PRId64, size);
        *found = '\0';
    }
    for (const char *c = job->family; *c != '\0'; c++)
        if (*c == '/' || *c == '(' || iscntrl((unsigned char)*c))
            return false;
    return true;
}

bool hs_gavel_job_parse(const char *text, struct hs_gavel_job *job)
{
    int64_t gpus;
    if (text[0] != '(')
        return template_parse(text, strlen(text), job);
    const char *quote = strrchr(text, '\'');
    if (text[1] != '\'' || quote <= text + 1 || strncmp(quote, "', ", 3) != 0 ||
        !read_count(quote + 3, ")", HS_GAVEL_GPUS_MAX, &gpus) ||
        !template_parse(text + 2, (size_t)(quote - text) - 2, job))
        return false;
    job->gpus = (uint32_t)gpus;
    return true;
}

const char *hs_gavel_model(const char *family, const char **dataset)
{
    *dataset = NULL;
    for (size_t i = 0; i < HS_COUNT_OF(known); i++) {
        if (strcmp(known[i].family, family) != 0)
            continue;
        *dataset = known[i].dataset;
        return known[i].model;
    }
    return family;
}

const char *hs_gavel_family(const char *model)
{
    for (size_t i = 0; i < HS_COUNT_OF(known); i++)
        if (strcmp(known[i].model, model) == 0)
            return known[i].family;
    return model;
}
