/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slowdown beside another job on published measurements: requirements A2 to A7 of
 * tests/report/calibrate-report.sh, against coefficients and errors that another program computed
 * (derived/expected_fit.json, derived/gavel_rank1.csv, the calibration study). The data may not be
 * redistributed: it is read from $HORUS_DATA/calibration, or ../shared/data/calibration; where
 * there is none the tests are skipped with a message.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/pairs.h"
#include "data/csv.h"
#include "support/data.h"
#include "support/subject.h"

#define OWN    "unseen model, own"
#define OTHER  "unseen model, co-runner"
#define MODELS "unseen pair of models"
#define JOBS   "unseen pair of jobs"

static struct hs_json_doc *doc;

/* ---- what was fitted ---- */

static void calibrate_clean(const char *one, uint32_t clean)
{
    (void)data_need("calibration", one);
    struct hs_calibrate_options options = {.data = {data_path("calibration", one)},
                                           .data_count = 1,
                                           .clean = clean,
                                           .overlap = HS_OVERLAP_TOLERANCE};
    doc = subject_run("interference", &options);
}

/* A1 to A12 are defined on all pairs, also those of partly overlapping windows. */
static void calibrate(const char *one)
{
    calibrate_clean(one, HS_CLEAN_DEFAULT & ~HS_CLEAN(WINDOW));
}

static int forget(void **state)
{
    (void)state;
    hs_json_close(doc);
    doc = NULL;
    return 0;
}

static const struct hs_json *general(void)
{
    return hs_json_first(hs_json_get(hs_json_root(doc), "forms"));
}

static const struct hs_json *table(const char *gpu)
{
    const struct hs_json *t = hs_json_first(hs_json_get(hs_json_root(doc), "tables"));
    while (t != NULL && strcmp(hs_json_text(hs_json_get(t, "gpu")), gpu) != 0)
        t = hs_json_next(t);
    if (t == NULL)
        fail_msg("no table of %s", gpu);
    return t;
}

static double number(const struct hs_json *object, const char *key)
{
    const struct hs_json *value = hs_json_get(object, key);
    if (hs_json_kind(value) != HS_JSON_NUMBER)
        fail_msg("%s is no number", key);
    return hs_json_number(value);
}

static void expect_near(const char *what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s is %g, not %g +- %g", what, found, wanted, tolerance);
}

/* Checks that an error is at most, a score at least, what the acceptance requires. */
static void at_most(const struct hs_json *owner, const char *protocol, const char *key,
                    double bound)
{
    double found = subject_score(owner, protocol, key);
    if (!(found <= bound))
        fail_msg("%s, %s: %g, at most %g", protocol, key, found, bound);
}

static void at_least(const struct hs_json *owner, const char *protocol, const char *key,
                     double bound)
{
    double found = subject_score(owner, protocol, key);
    if (!(found >= bound))
        fail_msg("%s, %s: %g, at least %g", protocol, key, found, bound);
}

/* Checks the share of right decisions at S <= 1.1, 1.2, 1.5. */
static void decides(const struct hs_json *owner, const char *protocol, double low, double middle,
                    double high)
{
    const double bounds[] = {low, middle, high};
    const struct hs_json *s = hs_json_first(hs_json_get(owner, "holdout"));
    while (s != NULL && strcmp(hs_json_text(hs_json_get(s, "protocol")), protocol) != 0)
        s = hs_json_next(s);
    const struct hs_json *share = hs_json_first(hs_json_get(s, "accuracy"));
    for (int i = 0; i < 3; i++, share = hs_json_next(share))
        if (!(hs_json_number(share) >= bounds[i]))
            fail_msg("%s: %g of decisions %d are right, at least %g", protocol,
                     hs_json_number(share), i, bounds[i]);
}

/* ---- A2: the three coefficients ---- */

/* Adds a row of derived/lucid_trackC.csv: 918 runs of two rows, each with both utilizations. */
static void add_row(struct hs_measurements *m, const struct hs_csv_row *row, const uint32_t *at)
{
    struct hs_solo solo = {.dataset = "d", .precision = "fp32", .gpus = 1, .speed = NAN};
    struct hs_pair pair = {.joint_util = NAN};
    static char names[2][64];
    for (int side = 0; side < 2; side++) {
        /* "ResNet18|64|1": model, batch, amp; the whole is the name of the configuration. */
        (void)snprintf(names[side], sizeof names[side], "%s", row->fields[at[side]]);
        for (char *bar = names[side]; (bar = strchr(bar, '|')) != NULL;)
            *bar = '-';
        solo.model = names[side];
        solo.batch = "";
        assert_int_equal(sscanf(row->fields[at[2 + side]], "%lf", &solo.util), 1);
        solo.bw_util = solo.mem_mib = NAN;
        *(side == 0 ? &pair.own : &pair.other) = hs_measure_solo(m, &solo);
    }
    unsigned run;
    assert_int_equal(sscanf(row->fields[at[4]], "%u", &run), 1);
    assert_int_equal(sscanf(row->fields[at[5]], "%lf", &pair.speed), 1);
    pair.pair = run;
    pair.rebased = pair.speed;
    if (run >= m->pair_ids)
        m->pair_ids = run + 1;
    hs_measure_pair(m, &pair);
}

static void test_a2_coefficients(void **state)
{
    static const char *const columns[] = {"cfg", "ocfg", "u", "ou", "pid", "rs"};
    struct hs_measurements m = {.format = "own"};
    struct hs_general_fit fit;
    struct sink sink;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t at[6], gpu;
    (void)state;
    (void)data_need("calibration", "derived/lucid_trackC.csv");
    sink_init(&sink);
    assert_int_equal(hs_measure_gpu(&m, "RTX3090", "timeslice", &gpu), HS_OK);
    assert_int_equal(
        hs_input_open(&input, data_path("calibration", "derived/lucid_trackC.csv"), &sink.diag),
        HS_OK);
    hs_csv_open(&csv, input, ',', &sink.diag);
    assert_int_equal(hs_csv_next(csv, &row), HS_OK);
    for (int i = 0; i < 6; i++) {
        at[i] = hs_csv_column(&row, columns[i]);
        assert_true(at[i] != UINT32_MAX);
    }
    while (hs_csv_next(csv, &row) == HS_OK)
        add_row(&m, &row, at);
    hs_csv_close(csv);
    hs_input_close(input);
    assert_int_equal(hs_general_study(&m, 1, HS_PAIRS_ALL, &fit, &m.arena, &sink.diag), HS_OK);
    assert_int_equal(fit.rows, 1836);
    expect_near("k", fit.k, 0.677, 0.005);
    expect_near("alpha", fit.alpha, 1.016, 0.005);
    expect_near("beta", fit.beta, 1.763, 0.005);
    expect_near("RMSE in sample", fit.scores[HS_UNSEEN_NOTHING].speed.rmse, 0.0791, 0.00005);
    expect_near("R2 in sample", fit.scores[HS_UNSEEN_NOTHING].speed.r2, 0.59, 0.005);
    hs_measure_free(&m);
}

/* The same from Lucid's own files, through cleaning: the file has six digits. */
static void test_a2_from_the_published_files(void **state)
{
    (void)state;
    calibrate("lucid");
    const struct hs_json *fitted = hs_json_get(general(), "in_sample");
    expect_near("k", number(general(), "k"), 0.677, 0.005);
    expect_near("alpha", number(general(), "alpha"), 1.016, 0.005);
    expect_near("beta", number(general(), "beta"), 1.763, 0.005);
    expect_near("rows", number(fitted, "n"), 1836, 0);
    expect_near("RMSE in sample", number(fitted, "rmse"), 0.0791, 0.00005);
}

/* ---- A13, A14, A16 to A18 ---- */

/* A grid search on the same rows: k .91, alpha 1.4, beta 1.6, RMSE .066 on the 314 rows of one
 * model; cut by the capacity, .063 on jobs beside themselves. */
static void test_a13_pairs_of_one_model(void **state)
{
    (void)state;
    calibrate_clean("lucid", HS_CLEAN_DEFAULT);
    const struct hs_json *fitted = hs_json_get(general(), "in_sample");
    expect_near("k", number(general(), "k"), 0.91, 0.03);
    expect_near("alpha", number(general(), "alpha"), 1.4, 0.15);
    expect_near("beta", number(general(), "beta"), 1.6, 0.15);
    expect_near("rows", number(fitted, "n"), 314, 0);
    expect_near("RMSE in sample", number(fitted, "rmse"), 0.0645, 0.0025);
    const struct hs_json *check = hs_json_first(hs_json_get(hs_json_root(doc), "checks"));
    assert_string_equal(hs_json_text(hs_json_get(check, "protocol")), "pairs of a job with itself");
    expect_near("RMSE with the capacity", number(check, "rmse"), 0.063, 0.001);
    /* mean of sum(u x speed) 1.05 to 1.07 of saturated pairs, in the same table */
    expect_near("capacity", number(check, "capacity"), 1.06, 0.011);
}

/* The check of a GPU type and mode, where there are several, by this protocol. */
static const struct hs_json *check_of(const char *gpu, const char *mode, const char *protocol)
{
    const struct hs_json *check = hs_json_first(hs_json_get(hs_json_root(doc), "checks"));
    for (; check != NULL; check = hs_json_next(check))
        if (strcmp(hs_json_text(hs_json_get(check, "gpu")), gpu) == 0 &&
            strcmp(hs_json_text(hs_json_get(check, "mode")), mode) == 0 &&
            strcmp(hs_json_text(hs_json_get(check, "protocol")), protocol) == 0)
            return check;
    fail_msg("no check of %s, %s: %s", gpu, mode, protocol);
    return NULL;
}

/* Time slicing of an A100 conserves .86 to .90 of a GPU (mean of Tally .86, of nos .90); with the
 * RTX 3090's form that gives relative speeds of inference beside training within .10, and three
 * clients within 15 % of what pairs predict. Gangs: .08, one pair left out. */
static void test_a16_to_a18_sets(void **state)
{
    static char paths[4][1024];
    static const char *const names[] = {"lucid", "tally", "nos/sharing_modes_1_3.csv",
                                        "blox-pal/pairs_1-2-4gpu.csv"};
    struct hs_calibrate_options options = {
        .data_count = 4, .clean = HS_CLEAN_DEFAULT, .overlap = HS_OVERLAP_TOLERANCE};
    (void)state;
    for (int i = 0; i < 4; i++) {
        (void)data_need("calibration", names[i]);
        (void)snprintf(paths[i], sizeof paths[i], "%s", data_path("calibration", names[i]));
        options.data[i] = paths[i];
    }
    doc = subject_run("interference", &options);
    const struct hs_json *pairs = check_of("A100", "timeslice", "pairs");
    expect_near("Tally's capacity", number(pairs, "capacity"), 0.86, 0.02);
    expect_near("MAE beside inference", number(pairs, "mae"), 0.05, 0.05);
    const struct hs_json *three = check_of("A100", "timeslice", "sets of 3, capacity of pairs");
    expect_near("three clients", number(three, "sum_predicted") / number(three, "sum"), 1, 0.15);
    expect_near("nos under MPS", number(check_of("A100", "mps", "sets of 3"), "capacity"), 1.61,
                0.005);
    static const char *const gangs[] = {"gangs of 1", "gangs of 2", "gangs of 4"};
    double sum = 0, n = 0;
    for (int i = 0; i < 3; i++) {
        const struct hs_json *check = check_of(gangs[i], "unknown", "leave one pair out");
        sum += number(check, "mae") * number(check, "n");
        n += number(check, "n");
    }
    expect_near("MAE of gangs", sum / n, 0.04, 0.04);
}

/* ---- A3: models never seen ---- */

static void test_a3_unseen_model(void **state)
{
    (void)state;
    calibrate("lucid");
    static const char *const protocols[] = {OWN, OTHER};
    for (int i = 0; i < 2; i++) {
        at_most(general(), protocols[i], "mae", 0.059);
        at_most(general(), protocols[i], "rmse", 0.081);
        at_least(general(), protocols[i], "r2", 0.57);
        at_least(general(), protocols[i], "rho", 0.74);
        decides(general(), protocols[i], 0.78, 0.87, 0.93);
    }
    /* derived/expected_fit.json gives three digits of each. */
    expect_near("R2, own", subject_score(general(), OWN, "r2"), 0.578, 0.0006);
    expect_near("R2, co-runner", subject_score(general(), OTHER, "r2"), 0.573, 0.0006);
    expect_near("R2, pair", subject_score(general(), MODELS, "r2"), 0.580, 0.0006);
    /* Tuned cuts reach .94 to .95 at 1.5, and the balanced accuracy is .65 without one. */
    const struct hs_json *tuned = hs_json_get(hs_json_get(general(), "in_sample"), "tuned_cut");
    if (!(number(tuned, "accuracy") >= 0.94 && number(tuned, "balanced_accuracy") > 0.7))
        fail_msg("tuned: %g, balanced %g", number(tuned, "accuracy"),
                 number(tuned, "balanced_accuracy"));
}

/* ---- A4, A5: known jobs ---- */

static void test_a4_unseen_pair_of_models(void **state)
{
    (void)state;
    calibrate("lucid");
    at_most(table("RTX3090"), MODELS, "rmse", 0.072);
    at_least(table("RTX3090"), MODELS, "r2", 0.66);
    decides(table("RTX3090"), MODELS, 0.81, 0.91, 0.935);
    at_most(table("RTX3090"), MODELS, "rmse", 0.068); /* the best reference */
    at_least(table("RTX3090"), MODELS, "r2", 0.70);
}

static void test_a5_unseen_pair_of_jobs(void **state)
{
    (void)state;
    calibrate("lucid");
    at_most(table("RTX3090"), JOBS, "rmse", 0.060);
    at_least(table("RTX3090"), JOBS, "r2", 0.76);
    decides(table("RTX3090"), JOBS, 0.83, 0.92, 0.95);
    at_most(table("RTX3090"), JOBS, "rmse", 0.049); /* the noise limit of the study */
    at_least(table("RTX3090"), JOBS, "r2", 0.84);
}

/* ---- A6, A7: two numbers a job ---- */

static void test_a6_unseen_pairs(void **state)
{
    static const struct {
        const char *gpu;
        double r2, mae, families;
    } bounds[] = {
        {"V100", 0.89, 0.042, 0.85}, {"P100", 0.86, 0.052, 0.81}, {"K80", 0.95, 0.019, 0.90}};
    (void)state;
    calibrate("gavel/oracle_throughputs.json");
    for (int i = 0; i < 3; i++) {
        at_least(table(bounds[i].gpu), JOBS, "r2", bounds[i].r2);
        at_most(table(bounds[i].gpu), JOBS, "mae", bounds[i].mae);
        at_least(table(bounds[i].gpu), MODELS, "r2", bounds[i].families);
    }
}

/* Writes "LM (batch size 10)" of gavel_rank1.csv as a profile. */
static void profile_of(const char *job, char *key, size_t room)
{
    static const char *const names[][2] = {
        {"ResNet-18", "ResNet18/CIFAR-10"},
        {"ResNet-50", "ResNet50/ImageNet"},
        {"Transformer", "Transformer/Multi30k"},
        {"LM", "LSTM/Wikitext2"},
        {"Recommendation", "Recoder/MovieLens"},
        {"CycleGAN", "CycleGAN/Monet2Photo"},
        {"A3C", "A3C/Pong"},
    };
    char family[64] = "";
    unsigned batch = 0;
    int parts = sscanf(job, "%63s (batch size %u)", family, &batch);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], family) == 0) {
            if (parts == 2)
                (void)snprintf(key, room, "%s/%u/fp32", names[i][1], batch);
            else
                (void)snprintf(key, room, "%s//fp32", names[i][1]);
            return;
        }
    fail_msg("an unknown job: %s", job);
}

static const struct hs_json *find_job(const char *gpu, const char *key)
{
    const struct hs_json *job = hs_json_first(hs_json_get(table(gpu), "jobs"));
    while (job != NULL && strcmp(hs_json_text(hs_json_get(job, "profile")), key) != 0)
        job = hs_json_next(job);
    if (job == NULL)
        fail_msg("%s has no %s", gpu, key);
    return job;
}

/* The other program used another start and no regularization to the mean: the two sets of numbers
 * agree to a few per cent where the data determines little, to .002 in the median. */
static void test_a6_sensitivity_and_pressure(void **state)
{
    struct sink sink;
    struct hs_input *input;
    struct hs_csv *csv;
    struct hs_csv_row row;
    uint32_t jobs = 0, near = 0;
    (void)state;
    (void)data_need("calibration", "derived/gavel_rank1.csv");
    calibrate("gavel/oracle_throughputs.json");
    sink_init(&sink);
    assert_int_equal(
        hs_input_open(&input, data_path("calibration", "derived/gavel_rank1.csv"), &sink.diag),
        HS_OK);
    hs_csv_open(&csv, input, ',', &sink.diag);
    assert_int_equal(hs_csv_next(csv, &row), HS_OK); /* gpu,job,sensitivity_a,pressure_b */
    while (hs_csv_next(csv, &row) == HS_OK) {
        char key[128];
        double a, b;
        const char *gpu = row.fields[0][0] == 'v'   ? "V100"
                          : row.fields[0][0] == 'p' ? "P100"
                                                    : "K80";
        profile_of(row.fields[1], key, sizeof key);
        assert_int_equal(sscanf(row.fields[2], "%lf", &a), 1);
        assert_int_equal(sscanf(row.fields[3], "%lf", &b), 1);
        const struct hs_json *job = find_job(gpu, key);
        expect_near(key, number(job, "a"), a, 0.025 + 0.03 * a);
        expect_near(key, number(job, "b"), b, 0.025 + 0.03 * b);
        near += fabs(number(job, "a") - a) < 0.002 && fabs(number(job, "b") - b) < 0.002;
        jobs++;
    }
    hs_csv_close(csv);
    hs_input_close(input);
    assert_int_equal(jobs, 77);
    assert_true(near >= jobs / 2);
}

static void test_a7_new_jobs(void **state)
{
    static const struct {
        const char *gpu;
        double three, eight; /* R2 required after 3 tries; that of the reference after 8 */
    } bounds[] = {{"V100", 0.73, 0.82}, {"P100", 0.72, 0.80}, {"K80", 0.86, 0.92}};
    (void)state;
    calibrate("gavel/oracle_throughputs.json");
    for (int i = 0; i < 3; i++) {
        at_least(table(bounds[i].gpu), "new job after 3 tries", "r2", bounds[i].three);
        at_least(table(bounds[i].gpu), "new job after 3 tries", "r2", bounds[i].eight);
        at_least(table(bounds[i].gpu), "new job after 8 tries", "r2", bounds[i].eight);
    }
}

/* ---- traps ---- */

/* Campaigns on the same GPU type disagree (trap 8): one of them has to be chosen. */
static void test_two_campaigns_are_not_mixed(void **state)
{
    (void)state;
    (void)data_need("calibration", "gavel/simulation_throughputs.json");
    struct hs_calibrate_options options = {
        .data = {data_path("calibration", "gavel/oracle_throughputs.json"),
                 data_path("calibration", "gavel/simulation_throughputs.json")},
        .data_count = 2,
        .clean = HS_CLEAN_DEFAULT,
        .overlap = HS_OVERLAP_TOLERANCE};
    assert_int_equal(subject_try("interference", &options), HS_E_INPUT);
    assert_non_null(strstr(subject_sink.text, "two sets of data have pairs on"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a2_coefficients),
        cmocka_unit_test_teardown(test_a2_from_the_published_files, forget),
        cmocka_unit_test_teardown(test_a3_unseen_model, forget),
        cmocka_unit_test_teardown(test_a13_pairs_of_one_model, forget),
        cmocka_unit_test_teardown(test_a16_to_a18_sets, forget),
        cmocka_unit_test_teardown(test_a4_unseen_pair_of_models, forget),
        cmocka_unit_test_teardown(test_a5_unseen_pair_of_jobs, forget),
        cmocka_unit_test_teardown(test_a6_unseen_pairs, forget),
        cmocka_unit_test_teardown(test_a6_sensitivity_and_pressure, forget),
        cmocka_unit_test_teardown(test_a7_new_jobs, forget),
        cmocka_unit_test(test_two_campaigns_are_not_mixed),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
