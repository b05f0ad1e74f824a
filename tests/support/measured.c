/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements for tests: files in, text out.
 */
#include "support/data.h"
#include "support/measured.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void measured_put(const char *name, const char *text)
{
    (void)scratch_write(name, text, strlen(text));
}

static enum hs_status read_anew(struct measured *t, const char *path)
{
    hs_measure_free(&t->m);
    sink_init(&t->sink);
    return hs_measure_read(&t->m, path, &t->sink.diag);
}

void measured_good(struct measured *t, const char *path)
{
    enum hs_status status = read_anew(t, path);
    assert_string_equal(t->sink.text, "");
    assert_int_equal(status, HS_OK);
}

void measured_fail(struct measured *t, const char *path, enum hs_status status)
{
    assert_int_equal(read_anew(t, path), status);
    assert_int_not_equal(t->sink.diag.errors, 0);
}

void measured_bad(struct measured *t, const char *path, const char *said)
{
    measured_fail(t, path, HS_E_INPUT);
    assert_string_equal(t->sink.text, said);
}

/* ---- as text ---- */

static void show_text(struct measured *t, const char *text)
{
    size_t used = strlen(t->shown);
    snprintf(t->shown + used, sizeof t->shown - used, "%s", text);
}

static void show_number(struct measured *t, const char *before, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%s%.6g", before, value);
    if (!isnan(value))
        show_text(t, text);
}

void measured_expect_solos(struct measured *t, const char *text)
{
    t->shown[0] = '\0';
    for (uint32_t i = 0; i < t->m.solo_count; i++) {
        const struct hs_solo *s = &t->m.solos[i];
        show_text(t, s->key);
        show_text(t, " ");
        show_text(t, t->m.gpus[s->gpu]);
        show_number(t, " x", s->gpus != 1 ? (double)s->gpus : NAN);
        show_text(t, s->is_spread ? " spread" : "");
        show_number(t, " ", s->speed);
        show_number(t, " util ", s->util);
        show_number(t, " bw ", s->bw_util);
        show_number(t, " mem ", s->mem_mib);
        show_text(t, "\n");
    }
    assert_string_equal(t->shown, text);
}

void measured_expect_pairs(struct measured *t, const char *text)
{
    t->shown[0] = '\0';
    for (uint32_t i = 0; i < t->m.pair_count; i++) {
        const struct hs_pair *p = &t->m.pairs[i];
        assert_true(p->rebased == p->speed || isnan(p->speed));
        assert_int_equal(p->dropped & ~HS_DROPPED(NO_SOLO), 0);
        show_text(t, t->m.solos[p->own].key);
        show_text(t, " > ");
        show_text(t, t->m.solos[p->other].key);
        show_number(t, " #", p->pair);
        show_number(t, " ", p->speed);
        show_number(t, " util ", p->joint_util);
        show_number(t, " bw ", p->joint_bw_util);
        show_number(t, " mem ", p->joint_mem_mib);
        show_text(t, p->dropped == HS_DROPPED(NO_SOLO) ? " NO_SOLO\n" : "\n");
    }
    assert_string_equal(t->shown, text);
}

/* ---- published data ---- */

void measured_data(struct measured *t, const char *name)
{
    measured_good(t, data_need("calibration", name));
}

void measured_clean(struct measured *t, uint32_t steps)
{
    hs_clean(&t->m, steps, HS_OVERLAP_TOLERANCE, &t->counts);
}

uint32_t measured_gpu(const struct measured *t, const char *name)
{
    for (uint32_t i = 0; i < t->m.gpu_count; i++)
        if (strcmp(t->m.gpus[i], name) == 0)
            return i;
    fail_msg("there is no GPU type %s", name);
    return 0;
}

const struct hs_solo *measured_solo(const struct measured *t, const char *key, const char *gpu,
                                    uint32_t gpus, bool is_spread)
{
    uint32_t at = measured_gpu(t, gpu);
    for (uint32_t i = 0; i < t->m.solo_count; i++) {
        const struct hs_solo *s = &t->m.solos[i];
        if (strcmp(s->key, key) == 0 && s->gpu == at && s->gpus == gpus &&
            s->is_spread == is_spread)
            return s;
    }
    fail_msg("there is no %s on %s x %" PRIu32, key, gpu, gpus);
    return NULL;
}

uint32_t measured_pairs(const struct measured *t, const char *gpu, uint32_t marks, bool has)
{
    uint32_t at = measured_gpu(t, gpu), n = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i < t->m.pair_count; i++) {
        const struct hs_pair *row = &t->m.pairs[i];
        const struct hs_solo *own = &t->m.solos[row->own];
        if (row->gpu == at && own->gpus == 1 && !own->is_spread &&
            ((row->dropped & marks) != 0) == has && row->pair != last) {
            last = row->pair;
            n++;
        }
    }
    return n;
}

uint32_t measured_solos(const struct hs_measurements *m, uint32_t marks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->solo_count; i++)
        count += (m->solos[i].dropped & marks) != 0;
    return count;
}
