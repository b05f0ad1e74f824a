/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a preemption costs, on schedules that a person can verify on paper: srtf with form=evict.
 * Jobs are written id:gpus,submit,duration#model, timelines id:start-end as in test_timelines.c. In
 * the drawings a column is 10 s unless stated otherwise, '*' a cost being paid.
 *
 * The table of restarts is the shipped one (Muri's: vgg16 7 s on 1 GPU, 8 s on 4, 9 s on 16;
 * 10 s for models that it does not name). The catalogue has one model with a checkpoint: VGG-16,
 * 528 MiB, as Gandiva's figure 13 has it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/scenario.h"
#include "support/sink.h"

static const char rows[] = "model,checkpoint_mib\n"
                           "VGG16,528\n"
                           "Light,\n";

static struct hs_catalogue catalogue;
static struct hs_overheads *restart;
static struct hs_test_options known; /* 200 MiB/s */

static int set_up(void **state)
{
    struct sink sink;
    sink_init(&sink);
    if (scratch_open(state) != 0)
        return -1;
    const char *path = scratch_write("profiles.csv", rows, strlen(rows));
    if (hs_catalogue_load(&catalogue, path, &sink.diag) != HS_OK ||
        hs_restart_load(&restart, "builtin:restart.csv", &sink.diag) != HS_OK)
        return -1;
    known = (struct hs_test_options){
        .catalogue = &catalogue, .restart = restart, .storage_mib_per_s = 200};
    return 0;
}

static int tear_down(void **state)
{
    hs_overheads_free(restart);
    hs_catalogue_free(&catalogue);
    return scratch_close(state);
}

/* 1x4. At 10 job 1 has 20 s left against 90 and takes the GPUs; at 30 job 0 resumes, pays 8 s
 * (vgg16 on 4 GPUs) and runs its 90: until 128.
 *   0 1 1 * 0 0 ... */
static void restart_by_model(void **state)
{
    (void)state;
    scenario_expect_with("1x4", "srtf:form=evict,preempt_cost=restart",
                         "0:4,0,100#vgg-16 1:4,10,20#dqn", &known, "0:0-10,30-128 1:10-30");
}

/* The same on 2x8 with 16 GPUs: 9 s; and with a model that the table does not name: 10 s. */
static void restart_by_size_and_fallback(void **state)
{
    (void)state;
    scenario_expect_with("2x8", "srtf:preempt_cost=restart", "0:16,0,100#vgg-16 1:1,10,20#dqn",
                         &known, "0:0-10,30-129 1:10-30");
    scenario_expect_with("1x4", "srtf:preempt_cost=restart", "0:4,0,100#mine 1:4,10,20", &known,
                         "0:0-10,30-130 1:10-30");
}

/* 1 s a column, from 26 on. At 33 job 2 (10 s) is submitted while 3 of the 8 s are paid: job 0 owes
 * the other 5, and 8 for this preemption. 43 + 13 + 90 = 146.
 *   1111***2222222222*************000... */
static void preempted_while_it_pays(void **state)
{
    (void)state;
    scenario_expect_with("1x4", "srtf:preempt_cost=restart",
                         "0:4,0,100#vgg16 1:4,10,20#dqn 2:4,33,10", &known,
                         "0:0-10,30-33,43-146 1:10-30 2:33-43");
}

/* 528 MiB at 200 MiB/s are 2.64 s to save and as much to restore, and the restart's 8 s: 13.28 s.
 * At 100 MiB/s 2 x 5.28 + 8 = 18.56 s. */
static void checkpoint_and_restart(void **state)
{
    (void)state;
    static const char jobs[] = "0:4,0,100#VGG16 1:4,10,20#dqn";
    struct hs_test_options slow = known;
    slow.storage_mib_per_s = 100;
    scenario_expect_with("1x4", "srtf:preempt_cost=checkpoint", jobs, &known,
                         "0:0-10,30-133.280000 1:10-30");
    scenario_expect_with("1x4", "srtf:preempt_cost=checkpoint", jobs, &slow,
                         "0:0-10,30-138.560000 1:10-30");
}

/* Nothing is guessed: where a part is not known, the table by gang size is used, 30 s for 4 GPUs by
 * default. `light` has a profile but no size; `nobody` has no profile; without a table of restarts
 * there is no restart. */
static void the_table_answers_for_the_unknown(void **state)
{
    (void)state;
    static const char to_150[] = "0:0-10,30-150 1:10-30";
    struct hs_test_options bare = {.catalogue = &catalogue, .storage_mib_per_s = 200};
    scenario_expect_with("1x4", "srtf:preempt_cost=checkpoint", "0:4,0,100#Light 1:4,10,20", &known,
                         to_150);
    scenario_expect_with("1x4", "srtf:preempt_cost=checkpoint", "0:4,0,100#nobody 1:4,10,20",
                         &known, to_150);
    scenario_expect_with("1x4", "srtf:preempt_cost=checkpoint", "0:4,0,100#VGG16 1:4,10,20", &bare,
                         to_150);
    scenario_expect_with("1x4", "srtf:preempt_cost=restart", "0:4,0,100#vgg16 1:4,10,20", &bare,
                         to_150);
    scenario_expect_with("1x4", "srtf:preempt_cost=restart,cost_table=1/2/3",
                         "0:4,0,100#vgg16 1:4,10,20", &bare, "0:0-10,30-122 1:10-30");
}

/* Models change nothing under policies that do not use them. */
static void others_do_not_ask(void **state)
{
    (void)state;
    static const char jobs[] = "0:4,0,100$5#vgg16 1:4,10,20#dqn";
    scenario_expect_with("1x4", "srtf", jobs, &known, "0:0-10,30-120 1:10-30");
    scenario_expect_with("1x4", "srtf:preempt_cost=table", jobs, &known, "0:0-10,30-150 1:10-30");
    scenario_expect_with("1x4", "srtf:preempt_cost=job", jobs, &known, "0:0-10,30-125 1:10-30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restart_by_model),
        cmocka_unit_test(restart_by_size_and_fallback),
        cmocka_unit_test(preempted_while_it_pays),
        cmocka_unit_test(checkpoint_and_restart),
        cmocka_unit_test(the_table_answers_for_the_unknown),
        cmocka_unit_test(others_do_not_ask),
    };
    return cmocka_run_group_tests_name("golden costs", tests, set_up, tear_down);
}
