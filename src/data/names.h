/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of GPU types as written by vendors, drivers and traces ("v100", "Tesla V100", "NVIDIA
 * A100-SXM4-40GB"), converted to the names that clusters and models use ("V100", "A100"). Case,
 * blanks, '-' and '_' are ignored, and words of the vendor (NVIDIA, Tesla, ...) and of the board
 * (SXM2, PCIe, HBM3, ...). A memory size ("32GB") selects the variant with it: V100M32 is the V100
 * with 32 GB. And names of jobs in Gavel's (OSDI'20) traces and files of throughputs: "LM (batch
 * size 5)", "A3C", and with a number of GPUs "('LM (batch size 5)', 2)".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the name of the type that text[0, len) denotes; NULL if unknown. */
const char *hs_gpu_type_name(const char *text, size_t len);
/* Returns its memory; 0 for an unknown type. */
uint32_t hs_gpu_type_mem_mib(const char *name);
/* Power when idle and at full utilization; false for a type without measurements. */
bool hs_gpu_type_watts(const char *name, uint32_t *idle, uint32_t *active);
/* Tells whether text[0, len) denotes that type, by the same or another name. An unknown type, from
 * a cluster file, has only its own name. */
bool hs_gpu_type_is(const char *type, const char *text, size_t len);
/* Formats "A10, A100, ...". */
#define HS_GPU_TYPES_TEXT 400
void hs_gpu_types_text(char text[HS_GPU_TYPES_TEXT]);

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
