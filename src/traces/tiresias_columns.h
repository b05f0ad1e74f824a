/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The columns of the Tiresias simulator's job files, which Muri's and Chronus' have, too.
 */
#ifndef HORUS_TRACES_TIRESIAS_COLUMNS_H
#define HORUS_TRACES_TIRESIAS_COLUMNS_H

#include "traces/layout.h"

#define HS_TIRESIAS_COLUMNS                                                                        \
    HS_COLUMN("gpus", "num_gpu", COUNT, true, gpus), HS_COLUMN("job_id", "job_id", ID, true, id),  \
        HS_COLUMN("submit_time", "submit_time", TIME, true, submit_us),                            \
        HS_COLUMN("duration", "duration", SPAN, true, duration_us),                                \
        HS_COLUMN("user", "user", TEXT, false, user),                                              \
        HS_COLUMN("model", "model_name", TEXT, false, model),                                      \
        HS_COLUMN("batch", "batch_size", BATCH, false, batch)

#endif
