/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See refestimate.h.
 */
#include "refestimate.h"

#include <stdlib.h>

void ref_learn(struct ref_history *h, int user, int gpus, int64_t run_us)
{
    h->jobs = realloc(h->jobs, sizeof *h->jobs * (size_t)(h->count + 1));
    h->jobs[h->count++] = (struct ref_done){user, gpus, run_us};
}

/* user or gpus -1: any. Returns -1 if there is no such job. */
static int64_t mean_us(const struct ref_history *h, int user, int gpus)
{
    int64_t sum_us = 0, count = 0;
    for (int i = 0; i < h->count; i++) {
        const struct ref_done *j = &h->jobs[i];
        if ((user >= 0 && j->user != user) || (gpus >= 0 && j->gpus != gpus))
            continue;
        sum_us += j->run_us;
        count++;
    }
    return count > 0 ? sum_us / count : -1;
}

int64_t ref_estimate_us(const struct ref_history *h, int user, int gpus)
{
    int64_t us = mean_us(h, user, gpus);
    if (us < 0)
        us = mean_us(h, user, -1);
    if (us < 0)
        us = mean_us(h, -1, -1);
    return us < 0 ? h->unknown_us : us;
}
