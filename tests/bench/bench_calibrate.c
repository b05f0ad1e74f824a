/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cost of the fits of the shipped models (requirement A12: below 1 s together), each once to
 * all rows (speed.json holds quotients: nothing is fitted), without reading, cleaning and the
 * hundreds of fits of the hold-outs; CPU time, the best of three rounds. The measurements are read
 * from $HORUS_DATA/calibration, or ../shared/data/calibration; without them it prints a message
 * only.
 *
 *     build/release/tests/bench/bench_calibrate
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "calibrate/measure.h"
#include "calibrate/utilization.c"
#include "calibrate/pairs.h"
#include "calibrate/predictor_fit.h"

#define ROUNDS 3

enum source { LUCID, ORACLE, SOURCES };
static const char *const source_paths[SOURCES] = {"lucid", "gavel/oracle_throughputs.json"};

struct data {
    struct hs_measurements sets[SOURCES];
    struct hs_catalogue catalogue;
    struct hs_arena arena;
    struct hs_diag diag;
};

static void on_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    (void)ctx;
    if (severity == HS_ERROR)
        (void)fprintf(stderr, "%.*s\n", (int)len, text);
}

/* ---- the fits ---- */

static enum hs_status fit_pairset(struct hs_pairset *set, struct hs_diag *diag)
{
    if (set->has_utils) {
        struct hs_paireffects effects; /* fits the general form, too */
        HS_TRY(hs_paireffects_open(&effects, set, NULL, HS_EFFECT_RIDGE, diag));
        return effects.fit.fit(&effects.fit, NULL, diag);
    }
    struct hs_pairrank1 rank1;
    hs_pairrank1_open(&rank1, set, HS_RANK1_RIDGE);
    return rank1.fit.fit(&rank1.fit, NULL, diag);
}

static enum hs_status fit_pairs(struct data *d, enum source source)
{
    const struct hs_measurements *m = &d->sets[source];
    for (uint32_t gpu = 0; gpu < m->gpu_count; gpu++) {
        struct hs_pairset set;
        HS_TRY(hs_pairset_collect(&set, m, gpu, HS_PAIRS_ALL, &d->arena, &d->diag));
        if (!set.has_utils)
            hs_pairset_merge(&set);
        HS_TRY(fit_pairset(&set, &d->diag));
    }
    return HS_OK;
}

static enum hs_status fit_interference(struct data *d)
{
    HS_TRY(fit_pairs(d, LUCID));
    return fit_pairs(d, ORACLE);
}

static enum hs_status fit_utilization(struct data *d)
{
    struct joint_data joint;
    struct joint_model known = {.form = JOINT_KNOWN, .ridge = RIDGE};
    joint_collect(&joint, &d->sets[LUCID], 1, &d->arena);
    for (int target = 0; target < JOINT_TARGETS; target++)
        for (enum joint_form form = 0; form < JOINT_FORMS; form++) {
            struct joint_model model = {.form = form, .target = (enum joint_target)target};
            HS_TRY(joint_fit(&joint, &model, JOINT_NOTHING_HELD, 0, &d->diag));
        }
    known.effects = hs_arena_alloc(&d->arena, joint.jobs * sizeof *known.effects);
    return joint_fit(&joint, &known, JOINT_NOTHING_HELD, 0, &d->diag);
}

static enum hs_status fit_predictor(struct data *d)
{
    struct hs_utilrows rows;
    struct hs_utilfit fit;
    struct hs_utilmate mate;
    struct hs_utilshift shifts[HS_UTILLINKS];
    uint32_t configs;
    HS_TRY(hs_utilrows_collect(&rows, &d->catalogue, NULL, &d->arena, &d->diag));
    HS_TRY(hs_utilfit(&rows, NULL, 0, &fit, &d->diag));
    for (uint32_t model = 0; model < rows.models; model++)
        HS_TRY(hs_utilfit_mate(&rows, NULL, model, &fit, &mate, &configs, &d->diag));
    return hs_utilshifts_fit(&rows, NULL, shifts, &d->diag);
}

/* ---- their time ---- */

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static enum hs_status time_all(struct data *d)
{
    static const struct {
        const char *name;
        enum hs_status (*fit)(struct data *d);
    } fits[] = {
        {"interference, 4 types", fit_interference},
        {"utilization", fit_utilization},
        {"predictor", fit_predictor},
    };
    double sum_ms = 0;
    (void)printf("Calibration, ms a fit to all rows (target below 1000 together)\n");
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        double best_ms = 0;
        for (int round = 0; round < ROUNDS; round++) {
            double begin_ms = now_ms();
            HS_TRY(fits[i].fit(d));
            double round_ms = now_ms() - begin_ms;
            hs_arena_free(&d->arena);
            if (round == 0 || round_ms < best_ms)
                best_ms = round_ms;
        }
        (void)printf("  %-24s %8.1f\n", fits[i].name, best_ms);
        sum_ms += best_ms;
    }
    (void)printf("  %-24s %8.1f\n", "together", sum_ms);
    return HS_OK;
}

static enum hs_status measure(struct data *d, const char *folder)
{
    struct hs_clean_counts counts;
    char path[512];
    HS_TRY(hs_catalogue_load(&d->catalogue, "configs/profiles.csv", &d->diag));
    for (int i = 0; i < SOURCES; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, source_paths[i]);
        HS_TRY(hs_measure_read(&d->sets[i], path, &d->diag));
        hs_clean(&d->sets[i], HS_CLEAN_DEFAULT, HS_OVERLAP_TOLERANCE, &counts);
    }
    return time_all(d);
}

int main(void)
{
    static struct data d;
    char folder[256];
    const char *root = getenv("HORUS_DATA");
    (void)snprintf(folder, sizeof folder, "%.200s/calibration",
                   root != NULL ? root : "../shared/data");
    struct stat info;
    if (stat(folder, &info) != 0) {
        (void)fprintf(stderr, "bench_calibrate: no measurements in %s\n", folder);
        return 0;
    }
    hs_diag_init(&d.diag, on_message, NULL);
    enum hs_status status = measure(&d, folder);
    for (int i = 0; i < SOURCES; i++)
        hs_measure_free(&d.sets[i]);
    hs_catalogue_free(&d.catalogue);
    return hs_status_exit_code(status);
}
