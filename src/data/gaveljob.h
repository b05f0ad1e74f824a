/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of jobs in Gavel's (OSDI'20) traces and files of throughputs: "LM (batch size 5)", "A3C",
 * and with a number of GPUs "('LM (batch size 5)', 2)".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HS_GAVEL_NAME_MAX 255
#define HS_GAVEL_GPUS_MAX 1024

struct hs_gavel_job {
    char family[HS_GAVEL_NAME_MAX + 1]; /* "LM" */
    char batch[16];                     /* "" if the name has none */
    uint32_t gpus;                      /* 0 if the name has none */
};

/* Returns false if text is not a name of a job. */
bool hs_gavel_job_parse(const char *text, struct hs_gavel_job *job);
/* Returns the model that a family trains, as named in the catalogue of profiles; a family not of
 * Gavel is returned unchanged, without dataset. */
const char *hs_gavel_model(const char *family, const char **dataset);
/* The inverse: the family that trains this model; another model is returned unchanged. */
const char *hs_gavel_family(const char *model);
