/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The measured rows of each model as linked lists, in file order: every row of a catalogue of many
 * thousands can look at its own model's rows without walking over all others.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timeparse.h"
#include "model/predictor_private.h"

static enum hs_status link_rows(struct hs_peers *peers, const struct hs_catalogue *catalogue)
{
    HS_TRY(hs_intern_init(&peers->models));
    for (uint32_t i = catalogue->count; i-- > 0;) {
        const struct hs_profile *row = &catalogue->profiles[i];
        HS_TRY(hs_intern_get(&peers->models, row->model, &peers->model_of[i]));
        if (row->util_pm < 0)
            continue;
        peers->next[i] = peers->first[peers->model_of[i]];
        peers->first[peers->model_of[i]] = i + 1;
    }
    return HS_OK;
}

enum hs_status hs_peers_open(struct hs_peers *peers, const struct hs_catalogue *catalogue,
                             struct hs_diag *diag)
{
    uint64_t count = (uint64_t)catalogue->count + 1; /* ids of models begin at 1 */
    *peers = (struct hs_peers){.model_of = hs_alloc_zeroed(count, sizeof *peers->model_of),
                               .first = hs_alloc_zeroed(count, sizeof *peers->first),
                               .next = hs_alloc_zeroed(count, sizeof *peers->next)};
    enum hs_status status = HS_E_MEMORY;
    if (peers->model_of != NULL && peers->first != NULL && peers->next != NULL)
        status = link_rows(peers, catalogue);
    if (status == HS_OK)
        return HS_OK;
    hs_peers_close(peers);
    return hs_fail(diag, status, NULL, NULL, "no memory for the rows of each model");
}

uint32_t hs_peers_first(const struct hs_peers *peers, uint32_t row)
{
    return peers->first[peers->model_of[row]] - 1;
}

uint32_t hs_peers_next(const struct hs_peers *peers, uint32_t at)
{
    return peers->next[at] - 1;
}

void hs_peers_close(struct hs_peers *peers)
{
    hs_intern_free(&peers->models);
    hs_free(peers->model_of);
    hs_free(peers->first);
    hs_free(peers->next);
    *peers = (struct hs_peers){0};
}

double hs_predictor_log_batch(const struct hs_profile *row)
{
    double batch;
    if (!hs_parse_double(row->batch, strlen(row->batch), &batch) || batch <= 0)
        return NAN;
    return log(batch);
}
