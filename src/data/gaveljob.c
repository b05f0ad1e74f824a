/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of Gavel's jobs. O(length), plus a few comparisons.
 */
#include "data/gaveljob.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"

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
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].family, family) != 0)
            continue;
        *dataset = known[i].dataset;
        return known[i].model;
    }
    return family;
}

const char *hs_gavel_family(const char *model)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].model, model) == 0)
            return known[i].family;
    return model;
}
