/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a job asks for, where a trace tells it by instance (PAI): numbers with more decimals than a
 * record has are kept exact until all instances are added up.
 */
#ifndef HORUS_TRACES_DEMAND_H
#define HORUS_TRACES_DEMAND_H

#include "traces/table.h"

#define HS_DEMAND_ONE INT64_C(1000000)

/* The cell of a column as a number >= 0, in millionths: 50.5 is 50500000. A missing one is 0. */
HS_MUST_USE enum hs_status hs_demand_cell(const struct hs_table *table, uint32_t index,
                                          int64_t *millionths);
/* GPUs of so many instances that each want gpu_millionths of a GPU. Up to one it is a share; above,
 * whole GPUs. What is no multiple of that (thousandths, whole GPUs) is rounded up, and the row is
 * marked as rounded. */
void hs_demand_gpus(struct hs_faults *faults, struct hs_trace_job *job, uint32_t instances,
                    int64_t gpu_millionths);
/* instances x millionths x unit, in whole units: rounded half up, UINT32_MAX at most. */
uint32_t hs_demand_sum(uint32_t instances, int64_t millionths, uint32_t unit);
/* NULL for a word that stands for nothing ("", "None", "nan", ...). */
const char *hs_demand_type(const char *text);

#endif
