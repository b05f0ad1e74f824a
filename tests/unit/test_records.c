/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records of jobs have texts if an observer requests them, and those of a rejection always do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/run.h"

struct ears {
    bool expects_words;
    uint32_t finished, rejected, segments;
};

static void expect(const struct hs_job_record *job, bool has_words)
{
    assert_string_equal(job->user, "anna");
    if (has_words) {
        assert_string_equal(job->id, job->index == 0 ? "first" : "second");
        assert_string_equal(job->model, "resnet");
        assert_string_equal(job->dataset, "");
        assert_string_equal(job->gpu_type, job->index == 0 ? "V100" : "");
    } else {
        assert_null(job->id);
        assert_null(job->model);
        assert_null(job->dataset);
        assert_null(job->gpu_type);
    }
}

static enum hs_status hear_segment(void *ctx, const struct hs_segment *segment)
{
    struct ears *ears = ctx;
    ears->segments++;
    expect(segment->job, ears->expects_words);
    return HS_OK;
}

static enum hs_status hear_finish(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct ears *ears = ctx;
    (void)now_us;
    ears->finished++;
    expect(job, ears->expects_words || job->state == HS_JOB_REJECTED);
    return HS_OK;
}

static enum hs_status hear_reject(void *ctx, int64_t now_us, const struct hs_job_record *job)
{
    struct ears *ears = ctx;
    (void)now_us;
    ears->rejected++;
    expect(job, true);
    assert_true(strlen(job->reason) > 0);
    return HS_OK;
}

static void listen(struct hs_observer *observer, struct ears *ears)
{
    static const struct hs_test_job jobs[] = {
        {.gpus = 2, .duration_s = 10, .id = "first", .user = "anna", .model = "resnet"},
        {.gpus = 5, .duration_s = 10, .id = "second", .user = "anna", .model = "resnet"}};
    struct hs_test_options options = {.observer = observer};
    struct hs_test_result r;
    observer->ctx = ears;
    assert_int_equal(hs_test_run_with(jobs, 2, "1x4:V100", "fifo", &options, &r), HS_OK);
    hs_test_free(&r);
}

static void observers_that_count_get_no_texts(void **state)
{
    (void)state;
    struct ears ears = {.expects_words = false};
    struct hs_observer observer = {.on_segment = hear_segment,
                                   .on_finish = hear_finish,
                                   .on_reject = hear_reject,
                                   .is_counts_only = true};
    listen(&observer, &ears);
    assert_int_equal(ears.segments, 1);
    assert_int_equal(ears.finished, 2);
    assert_int_equal(ears.rejected, 1);
}

static void others_have_them(void **state)
{
    (void)state;
    struct ears ears = {.expects_words = true};
    struct hs_observer observer = {.on_segment = hear_segment, .on_finish = hear_finish};
    listen(&observer, &ears);
    assert_int_equal(ears.segments, 1);
    assert_int_equal(ears.finished, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observers_that_count_get_no_texts),
        cmocka_unit_test(others_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
