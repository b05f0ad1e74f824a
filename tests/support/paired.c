/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/paired.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define LINE_MAX_BYTES 256

static int put_util(char *to, size_t room, double util)
{
    return isnan(util) ? snprintf(to, room, ",") : snprintf(to, room, ",%.15g", util * 100);
}

void paired_write(const char *name, const char *gpu, const struct paired_job *jobs, uint32_t count,
                  paired_speed *speed)
{
    static char text[65536];
    size_t len =
        (size_t)snprintf(text, sizeof text, "job_a,job_b,gpu,speed_a,speed_b,util_a,util_b\n");
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i; j < count; j++) {
            assert_true(len + LINE_MAX_BYTES < sizeof text);
            len +=
                (size_t)snprintf(text + len, sizeof text - len, "%s,%s,%s,%.17g,%.17g", jobs[i].key,
                                 jobs[j].key, gpu, speed(jobs, i, j), speed(jobs, j, i));
            len += (size_t)put_util(text + len, sizeof text - len, jobs[i].util);
            len += (size_t)put_util(text + len, sizeof text - len, jobs[j].util);
            text[len++] = '\n';
        }
    (void)scratch_write(name, text, len);
}

void paired_read(struct paired *p, const struct paired_job *jobs, uint32_t count,
                 paired_speed *speed)
{
    paired_free(p);
    paired_write("paired.csv", "V100", jobs, count, speed);
    measured_good(&p->measured, scratch_path("paired.csv"));
    measured_clean(&p->measured, 0);
    assert_int_equal(hs_pairset_collect(&p->set, &p->measured.m, measured_gpu(&p->measured, "V100"),
                                        HS_PAIRS_ALL, &p->measured.m.arena, &p->measured.sink.diag),
                     HS_OK);
}

void paired_free(struct paired *p)
{
    hs_measure_free(&p->measured.m);
}

double paired_queue(const struct paired_job *jobs, uint32_t own, uint32_t other)
{
    return 1 / (1 + jobs[own].util * jobs[other].util);
}
