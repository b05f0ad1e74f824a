/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of GPU types as vendors, drivers and traces write them ("v100", "Tesla V100",
 * "NVIDIA A100-SXM4-40GB"), brought to the one name that clusters and models use ("V100", "A100").
 *
 * The rule: case, blanks, '-' and '_' do not count, nor words of the vendor (NVIDIA, Tesla, ...)
 * and of the board (SXM2, PCIe, HBM3, ...). A size of memory ("32GB") chooses the form that has it:
 * V100M32 is the V100 of 32 GB.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of the type that text[0, len) names; NULL if it is none that is known. */
const char *hs_gpu_type_name(const char *text, size_t len);
/* Its memory; 0 for an unknown type. */
uint32_t hs_gpu_type_mem_mib(const char *name);
/* What it draws idle and at full utilization; false for a type of which nothing was measured. */
bool hs_gpu_type_watts(const char *name, uint32_t *idle, uint32_t *active);
/* Whether a GPU of that type is what text[0, len) names: the same name, or another of it. A type
 * that is not known, of a cluster file, has the one name. */
bool hs_gpu_type_is(const char *type, const char *text, size_t len);
/* "A10, A100, ..." */
#define HS_GPU_TYPES_TEXT 400
void hs_gpu_types_text(char text[HS_GPU_TYPES_TEXT]);
