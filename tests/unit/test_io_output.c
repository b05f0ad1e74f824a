/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writing: bytes, hash and count agree with the file; every failure is HS_E_IO with the system's
 * reason, even a late one.
 */
#define _XOPEN_SOURCE 700 /* RLIMIT_FSIZE */
#include "base/io.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/fmt.h"
#include "base/memory.h"
#include "base/rng.h"
#include "support/sink.h"

static struct sink sink;

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

/* The file contains data, and its hash and count are those of the output. */
static void expect_file(const char *path, const char *data, size_t len)
{
    char *text;
    size_t got;
    assert_int_equal(hs_read_file(path, 1 << 24, &text, &got, &sink.diag), HS_OK);
    assert_int_equal(got, len);
    if (len > 0)
        assert_memory_equal(text, data, len);
    hs_free(text);
}

static void test_put(void **state)
{
    struct hs_output out;
    const char *path = scratch_path("put");
    (void)state;
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    hs_output_put(&out, "", 0);
    hs_output_put(&out, "abc", 3);
    hs_output_put(&out, "de\n", 3);
    assert_int_equal(hs_output_bytes(&out), 6);
    assert_true(hs_output_hash(&out) == hs_hash_of("abcde\n", 6));
    hs_output_put(&out, "f", 1); /* continues after a hash */
    assert_true(hs_output_hash(&out) == hs_hash_of("abcde\nf", 7));
    assert_false(out.error != 0);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    expect_file(path, "abcde\nf", 7);
}

static void test_an_existing_file_is_replaced(void **state)
{
    struct hs_output out;
    const char *path = scratch_write("old", "something longer", 16);
    (void)state;
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    expect_file(path, "", 0);
}

/* More than the buffer, by room and put in turn, and one put larger than the buffer. */
static void test_large(void **state)
{
    static char expected[3 << 20];
    static char block[600000];
    struct hs_output out;
    size_t len = 0;
    const char *path = scratch_path("large");
    (void)state;
    assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
    for (uint64_t i = 0; i < 100000; i++) {
        char *begin = hs_output_room(&out, i % 100 == 0 ? HS_OUTPUT_ROOM : HS_FMT_MAX + 1);
        char *end = begin + hs_fmt_u64(begin, i * i);
        *end++ = ',';
        hs_output_wrote(&out, end);
        len += hs_fmt_u64(expected + len, i * i);
        expected[len++] = ',';
        if (i % 3 == 0) {
            hs_output_put(&out, "x\n", 2);
            memcpy(expected + len, "x\n", 2);
            len += 2;
        }
    }
    memset(block, 'b', sizeof block);
    hs_output_put(&out, block, sizeof block);
    memcpy(expected + len, block, sizeof block);
    len += sizeof block;
    assert_true(len < sizeof expected);
    assert_int_equal(hs_output_bytes(&out), len);
    assert_true(hs_output_hash(&out) == hs_hash_of(expected, len));
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
    expect_file(path, expected, len);
}

static void test_files_that_cannot_be_created(void **state)
{
    struct hs_output out;
    (void)state;
    assert_int_equal(hs_output_open(&out, "no/such/dir/file", &sink.diag), HS_E_IO);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK); /* nothing to close */
    assert_int_equal(hs_output_open(&out, "/", &sink.diag), HS_E_IO);
    assert_string_equal(sink.text,
                        "no/such/dir/file: error: cannot create: No such file or directory\n"
                        "/: error: cannot create: Is a directory\n");
}

/* /dev/full refuses every byte: detected at close even if all fits the buffer. */
static void test_full_disk_at_close(void **state)
{
    struct hs_output out;
    (void)state;
    assert_int_equal(hs_output_open(&out, "/dev/full", &sink.diag), HS_OK);
    hs_output_put(&out, "x", 1);
    assert_false(out.error != 0);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_E_IO);
    assert_string_equal(sink.text, "/dev/full: error: cannot write: No space left on device\n");
}

/* The error persists: later rows are dropped, close reports it once. */
static void test_full_disk_is_sticky(void **state)
{
    static char block[300000];
    struct hs_output out;
    (void)state;
    assert_int_equal(hs_output_open(&out, "/dev/full", &sink.diag), HS_OK);
    for (int i = 0; i < 10; i++)
        hs_output_put(&out, block, sizeof block);
    assert_true(out.error != 0);
    for (int i = 0; i < 1000; i++) {
        char *begin = hs_output_room(&out, HS_OUTPUT_ROOM);
        memset(begin, 'x', HS_OUTPUT_ROOM);
        hs_output_wrote(&out, begin + HS_OUTPUT_ROOM);
    }
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_E_IO);
    assert_int_equal(sink.diag.errors, 1);
}

/* A file may not grow past 100,000 bytes: the part that fits is written, the rest is EFBIG. */
static void test_file_size_limit(void **state)
{
    static char block[300000];
    struct rlimit before, low;
    struct hs_output out;
    char expected[1024];
    const char *path = scratch_path("limited");
    (void)state;
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    low = before;
    low.rlim_cur = 100000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    enum hs_status opened = hs_output_open(&out, path, &sink.diag);
    if (opened == HS_OK)
        hs_output_put(&out, block, sizeof block);
    enum hs_status closed = hs_output_close(&out, &sink.diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(opened, HS_OK);
    assert_int_equal(closed, HS_E_IO);
    snprintf(expected, sizeof expected, "%s: error: cannot write: File too large\n", path);
    assert_string_equal(sink.text, expected);
    expect_file(path, block, 100000);
}

static void test_stdout_is_written_and_left_open(void **state)
{
    struct hs_output out;
    const char *path = scratch_path("stdout");
    (void)state;
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDOUT_FILENO) == STDOUT_FILENO);
    fclose(file);
    enum hs_status status[4];
    for (int i = 0; i < 4; i += 2) { /* twice: it remained open */
        status[i] = hs_output_open(&out, "-", &sink.diag);
        hs_output_put(&out, "abc\n", 4);
        status[i + 1] = hs_output_close(&out, &sink.diag);
    }
    assert_true(dup2(saved, STDOUT_FILENO) == STDOUT_FILENO);
    close(saved);
    for (int i = 0; i < 4; i++)
        assert_int_equal(status[i], HS_OK);
    expect_file(path, "abc\nabc\n", 8);
}

/* What the reader unpacks from the file. */
static void expect_unpacked(const char *path, const char *data, size_t len)
{
    struct hs_input *in;
    const char *piece;
    size_t got, at = 0;
    assert_int_equal(hs_input_open(&in, path, &sink.diag), HS_OK);
    enum hs_status status;
    while ((status = hs_input_read(in, &piece, &got)) == HS_OK) {
        assert_true(got <= len - at);
        assert_memory_equal(piece, data + at, got);
        at += got;
    }
    assert_int_equal(status, HS_END);
    assert_int_equal(at, len);
    hs_input_close(in);
}

/* Nothing, a little, and more than every buffer; the packer makes the data smaller (digits) or
 * larger (noise); hash and count are those of the unpacked data. */
static void test_packed_by_suffix(void **state)
{
    static const char *const names[] = {"x.gz", "x.zst"};
    static char data[1 << 20];
    static const size_t lens[] = {0, 5, sizeof data};
    struct hs_output out;
    (void)state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i < sizeof data / 2 ? '0' + i / 7 % 10 : hs_mix64(1, i) % 127);
    for (int n = 0; n < 2; n++)
        for (size_t k = 0; k < sizeof lens / sizeof *lens; k++) {
            const char *path = scratch_path(names[n]);
            assert_int_equal(hs_output_open(&out, path, &sink.diag), HS_OK);
            hs_output_pack(&out, path);
            hs_output_put(&out, data, lens[k]);
            assert_int_equal(hs_output_bytes(&out), lens[k]);
            assert_true(hs_output_hash(&out) == hs_hash_of(data, lens[k]));
            assert_int_equal(hs_output_close(&out, &sink.diag), HS_OK);
            expect_unpacked(path, data, lens[k]);
        }
    assert_string_equal(sink.text, "");
}

static void test_full_disk_of_a_packed_file(void **state)
{
    struct hs_output out;
    (void)state;
    assert_int_equal(hs_output_open(&out, "/dev/full", &sink.diag), HS_OK);
    hs_output_pack(&out, "full.gz");
    hs_output_put(&out, "abc", 3);
    assert_int_equal(hs_output_close(&out, &sink.diag), HS_E_IO);
    assert_string_equal(sink.text, "/dev/full: error: cannot write: No space left on device\n");
}

static void test_suffixes(void **state)
{
    (void)state;
    assert_string_equal(hs_output_packed_suffix("a.csv.gz"), ".gz");
    assert_string_equal(hs_output_packed_suffix("a/b.zst"), ".zst");
    assert_null(hs_output_packed_suffix("a.csv"));
    assert_null(hs_output_packed_suffix(".gz")); /* a name, not a suffix */
    assert_null(hs_output_packed_suffix("-"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_put, set_up),
        cmocka_unit_test_setup(test_an_existing_file_is_replaced, set_up),
        cmocka_unit_test_setup(test_large, set_up),
        cmocka_unit_test_setup(test_files_that_cannot_be_created, set_up),
        cmocka_unit_test_setup(test_full_disk_at_close, set_up),
        cmocka_unit_test_setup(test_full_disk_is_sticky, set_up),
        cmocka_unit_test_setup(test_file_size_limit, set_up),
        cmocka_unit_test_setup(test_stdout_is_written_and_left_open, set_up),
        cmocka_unit_test_setup(test_packed_by_suffix, set_up),
        cmocka_unit_test_setup(test_full_disk_of_a_packed_file, set_up),
        cmocka_unit_test_setup(test_suffixes, set_up),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
