/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Files compiled into the program equal the files of configs/, byte for byte, and open like any
 * other file.
 */

#include <stdio.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/io.h"
#include "base/memory.h"
#include "support/sink.h"

static void equals_the_file(void **state)
{
    (void)state;
    struct sink sink;
    const struct hs_builtin *file;
    size_t count = 0;
    sink_init(&sink);
    for (; (file = hs_builtin_at(count)) != NULL; count++) {
        char path[256], builtin[256], *text[2];
        size_t len[2];
        const bool is_dictionary = strncmp(file->name, "results/", 8) == 0;
        (void)snprintf(path, sizeof path, "%s%s", is_dictionary ? "" : "configs/", file->name);
        (void)snprintf(builtin, sizeof builtin, HS_BUILTIN "%s", file->name);
        assert_int_equal(hs_read_file(path, 1 << 24, &text[0], &len[0], &sink.diag), HS_OK);
        assert_int_equal(hs_read_file(builtin, 1 << 24, &text[1], &len[1], &sink.diag), HS_OK);
        assert_int_equal(len[0], len[1]);
        assert_memory_equal(text[0], text[1], len[0]);
        hs_free(text[0]);
        hs_free(text[1]);
    }
    assert_true(count > 0);
}

static void reports_progress_and_hash(void **state)
{
    (void)state;
    struct sink sink;
    struct hs_input *in;
    const struct hs_builtin *file = hs_builtin_at(0);
    const char *data;
    size_t len;
    char path[256];
    sink_init(&sink);
    (void)snprintf(path, sizeof path, HS_BUILTIN "%s", file->name);
    assert_int_equal(hs_input_open(&in, path, &sink.diag), HS_OK);
    while (hs_input_read(in, &data, &len) == HS_OK)
        ;
    uint64_t done, total;
    hs_input_progress(in, &done, &total);
    assert_int_equal(done, file->len);
    assert_int_equal(total, file->len);
    assert_int_equal(hs_input_hash(in), hs_hash_of(file->data, file->len));
    hs_input_close(in);
}

static void unknown_name(void **state)
{
    (void)state;
    struct sink sink;
    struct hs_input *in;
    sink_init(&sink);
    assert_null(hs_builtin_find("builtin:nothing.json"));
    assert_int_equal(hs_input_open(&in, "builtin:nothing.json", &sink.diag), HS_E_IO);
    assert_non_null(strstr(sink.text, "no such file is built in"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_file),
        cmocka_unit_test(reports_progress_and_hash),
        cmocka_unit_test(unknown_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
