/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How Gavel (OSDI'20) names jobs, in its traces and its files of throughputs: "LM (batch size 5)",
 * "A3C", and with a number of GPUs "('LM (batch size 5)', 2)".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HS_GAVEL_NAME_MAX 255
#define HS_GAVEL_GPUS_MAX 1024

struct hs_gavel_job {
    char family[HS_GAVEL_NAME_MAX + 1]; /* "LM" */
    char batch[16];                     /* "" where the name has none */
    uint32_t gpus;                      /* 0 where the name has none */
};

/* False if it is no name of a job. */
bool hs_gavel_job_parse(const char *text, struct hs_gavel_job *job);
/* What a family trains, as the catalogue of profiles calls it; a family that is not of Gavel's own
 * is taken as it is, with no dataset. */
const char *hs_gavel_model(const char *family, const char **dataset);
/* The other way round: the family that trains this model; another model is taken as it is. */
const char *hs_gavel_family(const char *model);
