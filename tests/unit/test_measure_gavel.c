/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gavel's throughput files: what they become, which rows cannot be used, and where their faults
 * are told. Tests run inside the scratch folder, so that messages name plain files; lines and
 * columns were counted by hand in the text above each expectation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "support/measured.h"

static struct measured t;

static int tear_down(void **state)
{
    (void)state;
    hs_measure_free(&t.m);
    return 0;
}

static void bad_text(const char *text, const char *said)
{
    measured_put("a.json", text);
    measured_bad(&t, "a.json", said);
}

#define R16 "('ResNet-18 (batch size 16)', 1)"
#define LM5 "('LM (batch size 5)', 1)"

static void test_gavel(void **state)
{
    const char text[] = "{\"v100\": {"
                        "\"" R16 "\": {\"null\": 10, \"" R16 "\": [8, 7], \"" LM5 "\": [5, 30]},"
                        "\"" LM5 "\": {\"null\": 40, \"" R16 "\": [30, 5], \"" LM5 "\": [0, 0]},"
                        "\"('A3C', 4)\": {\"null\": 0, \"('A3C', 4)\": [0.0, 0.0]}},"
                        "\"v100_unconsolidated\": {"
                        "\"" R16 "\": {\"null\": 10}, \"('A3C', 4)\": {\"null\": 3}}}";
    (void)state;
    measured_put("a.json", text);
    measured_good(&t, "a.json");
    assert_string_equal(t.m.format, "gavel");
    measured_expect_solos(&t, "ResNet18/CIFAR-10/16/fp32 V100 10\n"
                              "LSTM/Wikitext2/5/fp32 V100 40\n"
                              "A3C/Pong//fp32 V100 x4\n"
                              "ResNet18/CIFAR-10/16/fp32 V100 spread 10\n"
                              "A3C/Pong//fp32 V100 x4 spread 3\n");
    /* 8/10, 7/10; 5/10, 30/40; 0 */
    measured_expect_pairs(&t, "ResNet18/CIFAR-10/16/fp32 > ResNet18/CIFAR-10/16/fp32 #0 0.8\n"
                              "ResNet18/CIFAR-10/16/fp32 > ResNet18/CIFAR-10/16/fp32 #0 0.7\n"
                              "ResNet18/CIFAR-10/16/fp32 > LSTM/Wikitext2/5/fp32 #1 0.5\n"
                              "LSTM/Wikitext2/5/fp32 > ResNet18/CIFAR-10/16/fp32 #1 0.75\n"
                              "LSTM/Wikitext2/5/fp32 > LSTM/Wikitext2/5/fp32 #2 0\n"
                              "LSTM/Wikitext2/5/fp32 > LSTM/Wikitext2/5/fp32 #2 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0\n");
    assert_string_equal(t.m.solos[1].family, "LM");
    assert_string_equal(t.m.solos[1].model, "LSTM");
    assert_int_equal(t.m.files[0].bytes, strlen(text));
    assert_int_equal(t.m.files[0].hash, hs_hash_of(text, strlen(text)));
    assert_int_equal(t.m.files[0].rows, 5 + 5);
    assert_string_equal(t.m.files[0].name, "a.json");
}

/* Keys without the number of GPUs; the seven names; a name of one's own; a GPU type of one's own.
 */
static void test_gavel_names(void **state)
{
    (void)state;
    measured_put("a.json",
                 " {\"k80\": {\"ResNet-50 (batch size 128)\": {\"null\": 1}, \"A3C\": {\"null\": "
                 "2}, \"CycleGAN\": {\"null\": 3}, \"Recommendation (batch size 512)\": {\"null\": "
                 "4}, \"Transformer (batch size 256)\": {\"null\": 5}, \"ViT-B (batch size 8)\": "
                 "{\"null\": 6}}, \"a100\": {\"A3C\": {\"null\": 7}}}");
    measured_good(&t, "./a.json");
    measured_expect_solos(&t, "ResNet50/ImageNet/128/fp32 K80 1\n"
                              "A3C/Pong//fp32 K80 2\n"
                              "CycleGAN/Monet2Photo//fp32 K80 3\n"
                              "Recoder/MovieLens/512/fp32 K80 4\n"
                              "Transformer/Multi30k/256/fp32 K80 5\n"
                              "ViT-B/Gavel/8/fp32 K80 6\n"
                              "A3C/Pong//fp32 A100 7\n");
    assert_string_equal(t.m.files[0].name, "a.json");
}

/* Mirrors: one that contradicts makes two pairs, one that is missing makes one. */
static void test_gavel_mirrors(void **state)
{
    (void)state;
    measured_put("a.json",
                 "{\"v100\": {\"A3C\": {\"null\": 10, \"CycleGAN\": [9, 8]},"
                 "\"CycleGAN\": {\"null\": 10, \"A3C\": [8, 5], \"LM (batch size 5)\": [6, 7]},"
                 "\"LM (batch size 5)\": {\"null\": 10, \"A3C\": [4, 3]}}}");
    measured_good(&t, "a.json");
    measured_expect_pairs(&t, "A3C/Pong//fp32 > CycleGAN/Monet2Photo//fp32 #0 0.9\n"
                              "CycleGAN/Monet2Photo//fp32 > A3C/Pong//fp32 #0 0.8\n"
                              "CycleGAN/Monet2Photo//fp32 > A3C/Pong//fp32 #1 0.8\n"
                              "A3C/Pong//fp32 > CycleGAN/Monet2Photo//fp32 #1 0.5\n"
                              "CycleGAN/Monet2Photo//fp32 > LSTM/Wikitext2/5/fp32 #2 0.6\n"
                              "LSTM/Wikitext2/5/fp32 > CycleGAN/Monet2Photo//fp32 #2 0.7\n"
                              "LSTM/Wikitext2/5/fp32 > A3C/Pong//fp32 #3 0.4\n"
                              "A3C/Pong//fp32 > LSTM/Wikitext2/5/fp32 #3 0.3\n");
    measured_clean(&t, HS_CLEAN_CONTRADICTED);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_CONTRADICTED], 2); /* .9 and .5 */
    assert_int_equal(t.counts.kept, 6);
}

/* Negative numbers, a job that did not run alone, a GPU type of zeros only: counted, not used. */
static void test_gavel_bad_rows(void **state)
{
    (void)state;
    measured_put("a.json",
                 "{\"v100\": {\"A3C\": {\"null\": 10, \"A3C\": [-9, 8], \"CycleGAN\": [5, 2]},"
                 "\"CycleGAN\": {\"null\": 0, \"A3C\": [2, 5]}},"
                 "\"k80\": {\"A3C\": {\"null\": 10, \"A3C\": [0, 0]}},"
                 "\"p100\": {\"A3C\": {\"null\": -10, \"A3C\": [-9, -8]}}}");
    measured_good(&t, "a.json");
    measured_expect_pairs(&t, "A3C/Pong//fp32 > A3C/Pong//fp32 #0 -0.9\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #0 0.8\n"
                              "A3C/Pong//fp32 > CycleGAN/Monet2Photo//fp32 #1 0.5\n"
                              "CycleGAN/Monet2Photo//fp32 > A3C/Pong//fp32 #1 NO_SOLO\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #2 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #2 0\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0.9\n"
                              "A3C/Pong//fp32 > A3C/Pong//fp32 #3 0.8\n");
    measured_clean(&t, 0);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NEGATIVE], 3);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_NO_SOLO], 1);
    assert_int_equal(t.counts.dropped[HS_DROPPED_BIT_FAILED], 2);
    assert_int_equal(t.counts.kept, 2);
    assert_int_equal(t.counts.solos_dropped[HS_DROPPED_BIT_NEGATIVE], 1);
    assert_int_equal(t.counts.solos_dropped[HS_DROPPED_BIT_NO_SOLO], 1);
}

static void test_gavel_nesting(void **state)
{
    (void)state;
    bad_text("{\"v100\": 3}", "a.json:1:10: error: a GPU type must be an object, not a number\n"
                              "    1 | {\"v100\": 3}\n"
                              "      |          ^\n");
    bad_text("{\"v100\": {\"A3C\": [1, 2]}}",
             "a.json:1:18: error: a job must be an object, not an array\n"
             "    1 | {\"v100\": {\"A3C\": [1, 2]}}\n"
             "      |                  ^\n");
    bad_text("{\"v100\": {\"A3C\": {\"null\": 3, \"A3C\": {\"x\": [1, 2]}}}}",
             "a.json:1:37: error: a pair is two numbers\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": 3, \"A3C\": {\"x\": [1, 2]}}}}\n"
             "      |                                     ^\n"
             "      = hint: [steps a second of the job, of the other]\n");
    bad_text("{\"v100\": {\"A3C\": {\"null\": 3,\n\"A3C\": [1, 2, 3]}}}",
             "a.json:2:8: error: a pair is two numbers\n"
             "    2 | \"A3C\": [1, 2, 3]}}}\n"
             "      |        ^\n"
             "      = hint: [steps a second of the job, of the other]\n");
    bad_text("{\"v100\": {\"A3C\": {\"A3C\": [1, 2]}}}",
             "a.json:1:18: error: a job without \"null\", its speed alone\n"
             "    1 | {\"v100\": {\"A3C\": {\"A3C\": [1, 2]}}}\n"
             "      |                  ^\n");
    bad_text("{}", "a.json:1:1: error: a file of throughputs is empty\n"
                   "    1 | {}\n"
                   "      | ^\n");
    bad_text("{\"v100\": {}}", "a.json:1:10: error: a GPU type is empty\n"
                               "    1 | {\"v100\": {}}\n"
                               "      |          ^\n");
}

static void test_gavel_bad_names(void **state)
{
    static const char *const names[] = {"LM (batch size x)",
                                        "LM (batch size 5",
                                        "('LM', 0)",
                                        "('LM')",
                                        "('LM', 1",
                                        " (batch size 5)",
                                        "a/b",
                                        "('LM', 2) ",
                                        "",
                                        "LM (batch size 0)",
                                        "LM (batch size 5))"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[128], said[128];
        snprintf(text, sizeof text, "{\"v100\": {\"%s\": {\"null\": 3}}}", names[i]);
        snprintf(said, sizeof said, "a.json:1:11: error: not the name of a job: '%s'\n", names[i]);
        measured_put("a.json", text);
        measured_fail(&t, "a.json", HS_E_INPUT);
        assert_int_equal(strncmp(t.sink.text, said, strlen(said)), 0);
    }
    bad_text("{\"v100\": {\"A3C\": {\"null\": 3}, \"('A3C', 1)\": {\"null\": 4}}}",
             "a.json:1:45: error: the same job as another of this GPU type\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": 3}, \"('A3C', 1)\": {\"null\": 4}}}\n"
             "      |                                             ^\n");
    bad_text("{\"v100\": {\"A3C\": {\"null\": 3, \"('LM', 2)\": [1, 2]}}}",
             "a.json:1:43: error: a pair of jobs on 1 and 2 GPUs\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": 3, \"('LM', 2)\": [1, 2]}}}\n"
             "      |                                           ^\n");
}

/* A whole file, cut at every byte: never accepted, always with a place. */
static void test_gavel_truncated(void **state)
{
    const char text[] = "{\"v100\": {\"A3C\": {\"null\": 3.5, \"A3C\": [1, 2]}}}";
    (void)state;
    for (size_t len = 1; len < strlen(text); len++) {
        (void)scratch_write("a.json", text, len);
        measured_fail(&t, "a.json", HS_E_INPUT);
        assert_int_equal(strncmp(t.sink.text, "a.json:1:", 9), 0);
    }
    bad_text("{\"v100\": {\"A3C\": {\"null\": NaN}}}",
             "a.json:1:27: error: expected a value\n"
             "    1 | {\"v100\": {\"A3C\": {\"null\": NaN}}}\n"
             "      |                           ^~~\n"
             "      = hint: text goes in double quotes; true, false and null are lower case\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_gavel, tear_down),
        cmocka_unit_test_teardown(test_gavel_names, tear_down),
        cmocka_unit_test_teardown(test_gavel_mirrors, tear_down),
        cmocka_unit_test_teardown(test_gavel_bad_rows, tear_down),
        cmocka_unit_test_teardown(test_gavel_nesting, tear_down),
        cmocka_unit_test_teardown(test_gavel_bad_names, tear_down),
        cmocka_unit_test_teardown(test_gavel_truncated, tear_down),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_close);
}
