/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cost of one call to the sharing model (requirement A12: below 100 ns a pair). Calls are for
 * 64 profiles and for bare utilizations in a mixed order, so that caches and branch predictors
 * cannot learn it; CPU time, the best of five rounds.
 *
 *     build/release/tests/bench/bench_interference
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "model/interference.h"

#define PROFILES 64u
#define SETS     4096u
#define CALLS    (1u << 20)
#define ROUNDS   5

enum kind { PROFILED, BARE };

struct question {
    const char *name;
    enum hs_interference_mode mode;
    enum kind kind;
    double gamma;
    uint32_t tenants;
    double noise;
    bool is_speeds; /* of all tenants, with the time of the GPU shared out; else the form of one */
};

static const struct question questions[] = {
    {"measured pair", HS_INTERFERENCE_MEASURED, PROFILED, 1, 2, 0, false},
    {"fitted pair", HS_INTERFERENCE_FIT, PROFILED, 1, 2, 0, false},
    {"  with noise", HS_INTERFERENCE_FIT, PROFILED, 1, 2, 1, false},
    {"general form", HS_INTERFERENCE_FIT, BARE, 1, 2, 0, false},
    {"  with noise", HS_INTERFERENCE_FIT, BARE, 1, 2, 1, false},
    {"  with gamma 1.43", HS_INTERFERENCE_FIT, BARE, 1.43, 2, 0, false},
    {"4 tenants", HS_INTERFERENCE_FIT, BARE, 1, 4, 0, false},
    {"  with noise", HS_INTERFERENCE_FIT, BARE, 1, 4, 1, false},
    {"speeds of 2 tenants", HS_INTERFERENCE_FIT, BARE, 1, 2, 0, true},
    {"  of 4", HS_INTERFERENCE_FIT, BARE, 1, 4, 0, true},
    {"  of 8", HS_INTERFERENCE_FIT, BARE, 1, 8, 0, true},
    {"  of 16", HS_INTERFERENCE_FIT, BARE, 1, 16, 0, true},
};

static void on_message(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    (void)ctx;
    (void)severity;
    (void)fprintf(stderr, "%.*s\n", (int)len, text);
}

/* All pairs measured, and coefficients for all. */
static void write_model(FILE *out)
{
    (void)fprintf(out, "{\"kind\": \"interference\", \"format\": 2,\n"
                       "\"forms\": [{\"gpu\": \"V100\", \"mode\": \"timeslice\", \"k\": 0.677, "
                       "\"alpha\": 1.016, \"beta\": 1.763,\n"
                       "\"holdout\": [{\"rmse\": 0.08}]}],\n"
                       "\"tables\": [{\"gpu\": \"V100\", \"mode\": \"timeslice\", \"form\": "
                       "\"rank-1\", \"jobs\": [");
    for (uint32_t i = 0; i < PROFILES; i++)
        (void)fprintf(
            out, "%s{\"profile\": \"m%" PRIu32 "/d/1/fp32\", \"a\": 0.5, \"b\": 0.%" PRIu32 "}\n",
            i == 0 ? "" : ",", i, i + 1);
    (void)fprintf(out, "], \"pairs\": [");
    for (uint32_t i = 0; i < PROFILES * PROFILES; i++)
        (void)fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",1.%" PRIu32 "]\n", i == 0 ? "" : ",",
                      i / PROFILES, i % PROFILES, i);
    (void)fprintf(out, "]}]}\n");
}

static void write_catalogue(FILE *out)
{
    (void)fprintf(out, "model,dataset,batch,precision,util\n");
    for (uint32_t i = 0; i < PROFILES; i++)
        (void)fprintf(out, "m%" PRIu32 ",d,1,fp32,%" PRIu32 "\n", i, 1 + i);
}

static double now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double ask(const struct hs_interference *m, const struct question *q, uint64_t *sum)
{
    static struct hs_tenant sets[SETS][HS_TENANTS_MAX];
    struct hs_fair_share shares[HS_TENANTS_MAX];
    double best_ns = 0;
    for (uint32_t s = 0; s < SETS; s++)
        for (uint32_t i = 0; i < q->tenants; i++) {
            uint64_t draw = hs_mix64(s, i);
            sets[s][i].util_pm = (int32_t)(1 + draw % 1000);
            sets[s][i].profile =
                q->kind == PROFILED ? (uint32_t)(draw >> 32) % PROFILES : HS_NO_PROFILE;
        }
    for (int round = 0; round < ROUNDS; round++) {
        double begin_ns = now_ns();
        for (uint32_t call = 0; call < CALLS; call++)
            if (q->is_speeds) {
                hs_interference_speeds(m, 0, sets[call % SETS], q->tenants, shares);
                *sum += shares[0].speed_q32;
            } else {
                *sum += hs_interference_slowdown_q20(m, 0, sets[call % SETS], q->tenants, 0, NULL);
            }
        double round_ns = (now_ns() - begin_ns) / CALLS;
        if (round == 0 || round_ns < best_ns)
            best_ns = round_ns;
    }
    return best_ns;
}

static enum hs_status ask_all(const char *model, const char *profiles, struct hs_diag *diag)
{
    static const struct hs_interference_type types[] = {{.gpu = "V100"}};
    struct hs_catalogue catalogue;
    uint64_t sum = 0;
    HS_TRY(hs_catalogue_load(&catalogue, profiles, diag));
    (void)printf("Interference, ns a call (target below 100 a pair)\n");
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const struct question *q = &questions[i];
        const struct hs_interference_options options = {
            .mode = q->mode, .gamma = q->gamma, .noise = q->noise};
        struct hs_interference *m;
        HS_TRY(hs_interference_load(&m, model, &catalogue, &options, types, 1, diag));
        (void)printf("  %-20s %7.1f\n", q->name, ask(m, q, &sum));
        hs_interference_free(m);
    }
    hs_catalogue_free(&catalogue);
    return sum > 0 ? HS_OK : HS_E_INVARIANT;
}

static int write_file(const char *path, void (*write)(FILE *out))
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return -1;
    write(out);
    return fclose(out);
}

int main(void)
{
    char folder[] = "/tmp/horus-bench-XXXXXX", model[64], profiles[64];
    struct hs_diag diag;
    hs_diag_init(&diag, on_message, NULL);
    if (mkdtemp(folder) == NULL)
        return 4;
    (void)snprintf(model, sizeof model, "%s/model.json", folder);
    (void)snprintf(profiles, sizeof profiles, "%s/profiles.csv", folder);
    int code = 4;
    if (write_file(model, write_model) == 0 && write_file(profiles, write_catalogue) == 0)
        code = hs_status_exit_code(ask_all(model, profiles, &diag));
    (void)unlink(model);
    (void)unlink(profiles);
    (void)rmdir(folder);
    return code;
}
