/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reading plain, gzip and zstd files: whole, in members and frames, truncated anywhere, damaged.
 * The compressed files are made here with the libraries themselves.
 */
#include "base/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "support/sink.h"

#define LARGE (3u << 20)

static struct sink sink;
static char large[LARGE]; /* lines that compress well, all different */
static char packed[2 * LARGE + 64];

static int set_up(void **state)
{
    (void)state;
    sink_init(&sink);
    return 0;
}

static int open_all(void **state)
{
    size_t used = 0;
    for (unsigned i = 0; used < LARGE - 64; i++)
        used += (size_t)snprintf(large + used, 64, "job-%u,user%u,%u\n", i, i % 17, i * 7919);
    memset(large + used, '.', LARGE - used);
    return scratch_open(state);
}

static size_t gzip(char *to, size_t room, const char *data, size_t len)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&z), Z_OK);
    return room - z.avail_out;
}

static size_t zstd(char *to, size_t room, const char *data, size_t len)
{
    size_t size = ZSTD_compress(to, room, data, len, 3);
    assert_false(ZSTD_isError(size));
    return size;
}

/* Reads to the end; *text must be freed. Returns the status that ended it: HS_END without an
 * error. */
static enum hs_status read_to_end(const char *path, char **text, size_t *len)
{
    struct hs_input *in;
    const char *data;
    size_t got;
    uint32_t cap = 0;
    *text = NULL;
    *len = 0;
    enum hs_status status = hs_input_open(&in, path, &sink.diag);
    if (status != HS_OK)
        return status;
    while ((status = hs_input_read(in, &data, &got)) == HS_OK) {
        assert_true(got > 0);
        hs_grow(*text, cap, *len + got, UINT32_MAX);
        memcpy(*text + *len, data, got);
        *len += got;
        assert_true(hs_input_bytes(in) == *len);
    }
    assert_true(hs_input_hash(in) == hs_hash_of(*text, *len));
    assert_int_equal(hs_input_read(in, &data, &got), status); /* the status persists */
    hs_input_close(in);
    return status;
}

static void expect_data(const char *path, const char *data, size_t len)
{
    char *text;
    size_t got;
    assert_int_equal(read_to_end(path, &text, &got), HS_END);
    assert_int_equal(got, len);
    if (len > 0)
        assert_memory_equal(text, data, len);
    assert_string_equal(sink.text, "");
    hs_free(text);
}

static void expect_failure(const char *path, enum hs_status status)
{
    char *text;
    size_t len;
    sink_clear(&sink);
    assert_int_equal(read_to_end(path, &text, &len), status);
    assert_int_equal(sink.diag.errors, 1); /* reported once, with the name of the file */
    assert_memory_equal(sink.text, path, strlen(path));
    hs_free(text);
}

static void test_plain(void **state)
{
    (void)state;
    expect_data(scratch_write("plain", large, LARGE), large, LARGE);
    expect_data(scratch_write("one", "x", 1), "x", 1);
    expect_data(scratch_write("empty", "", 0), "", 0);
}

static void test_gzip(void **state)
{
    (void)state;
    size_t size = gzip(packed, sizeof packed, large, LARGE);
    expect_data(scratch_write("large.gz", packed, size), large, LARGE);
    size = gzip(packed, sizeof packed, "", 0);
    expect_data(scratch_write("empty.gz", packed, size), "", 0);
}

static void test_zstd(void **state)
{
    (void)state;
    size_t size = zstd(packed, sizeof packed, large, LARGE);
    expect_data(scratch_write("large.zst", packed, size), large, LARGE);
    size = zstd(packed, sizeof packed, "", 0);
    expect_data(scratch_write("empty.zst", packed, size), "", 0);
}

/* The name has no effect: the bytes decide. */
static void test_recognised_by_content(void **state)
{
    (void)state;
    size_t size = gzip(packed, sizeof packed, "abc", 3);
    expect_data(scratch_write("misnamed.csv", packed, size), "abc", 3);
    expect_data(scratch_write("misnamed.gz", "abc", 3), "abc", 3);
}

static void test_gzip_members_follow_each_other(void **state)
{
    size_t size = 0;
    (void)state;
    for (size_t at = 0; at < LARGE; at += LARGE / 3)
        size += gzip(packed + size, sizeof packed - size, large + at, LARGE / 3);
    expect_data(scratch_write("members.gz", packed, size), large, LARGE);
}

/* Frames, an empty one, and a skippable one (magic 0x184d2a50, length 4: RFC 8878, 3.1.2) before
 * and between them. */
static void test_zstd_frames_follow_each_other(void **state)
{
    static const char skip[] = "\x50\x2a\x4d\x18\x04\x00\x00\x00zzzz";
    size_t size = 0;
    (void)state;
    for (size_t at = 0; at < LARGE; at += LARGE / 3) {
        memcpy(packed + size, skip, 12);
        size += 12;
        size += zstd(packed + size, sizeof packed - size, "", 0);
        size += zstd(packed + size, sizeof packed - size, large + at, LARGE / 3);
    }
    expect_data(scratch_write("frames.zst", packed, size), large, LARGE);
}

/* Truncated after every byte from the magic number on: always an error, never less data. */
static void test_every_truncation_is_an_error(void **state)
{
    (void)state;
    size_t size = gzip(packed, sizeof packed, large, 300);
    for (size_t cut = 2; cut < size; cut++)
        expect_failure(scratch_write("cut.gz", packed, cut), HS_E_INPUT);
    size = zstd(packed, sizeof packed, large, 300);
    for (size_t cut = 4; cut < size; cut++)
        expect_failure(scratch_write("cut.zst", packed, cut), HS_E_INPUT);
}

static void test_truncation_of_a_later_member_is_an_error(void **state)
{
    (void)state;
    size_t first = gzip(packed, sizeof packed, "abc", 3);
    size_t size = first + gzip(packed + first, sizeof packed - first, "def", 3);
    for (size_t cut = first + 1; cut < size; cut++)
        expect_failure(scratch_write("cut2.gz", packed, cut), HS_E_INPUT);
    first = zstd(packed, sizeof packed, "abc", 3);
    size = first + zstd(packed + first, sizeof packed - first, "def", 3);
    for (size_t cut = first + 1; cut < size; cut++)
        expect_failure(scratch_write("cut2.zst", packed, cut), HS_E_INPUT);
}

/* The data before the truncation is returned, then the error. */
static void test_truncation_message(void **state)
{
    char expected[1024];
    (void)state;
    size_t size = gzip(packed, sizeof packed, large, LARGE);
    const char *path = scratch_write("half.gz", packed, size / 2);
    char *text;
    size_t len;
    assert_int_equal(read_to_end(path, &text, &len), HS_E_INPUT);
    assert_true(len > LARGE / 4 && len < LARGE);
    assert_memory_equal(text, large, len);
    hs_free(text);
    snprintf(expected, sizeof expected,
             "%s: error: gzip: the compressed data are truncated\n"
             "      = hint: check the file, or fetch it again\n",
             path);
    assert_string_equal(sink.text, expected);
}

static void test_damage_is_an_error(void **state)
{
    (void)state;
    size_t size = gzip(packed, sizeof packed, large, 3000);
    packed[size - 6] ^= 1; /* in the CRC */
    expect_failure(scratch_write("crc.gz", packed, size), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "corrupt gzip data: incorrect data check"));
    size = gzip(packed, sizeof packed, "abc", 3);
    memcpy(packed + size, "tail", 4); /* unread bytes must not be ignored silently */
    expect_failure(scratch_write("tail.gz", packed, size + 4), HS_E_INPUT);
    size = zstd(packed, sizeof packed, "abc", 3);
    memcpy(packed + size, "tail", 4);
    expect_failure(scratch_write("tail.zst", packed, size + 4), HS_E_INPUT);
    assert_non_null(strstr(sink.text, "corrupt zstd data: "));
}

static void test_peek_does_not_consume(void **state)
{
    struct hs_input *in;
    const char *head, *data;
    size_t len, size = zstd(packed, sizeof packed, large, LARGE);
    const char *paths[] = {scratch_write("peek", large, LARGE),
                           scratch_write("peek.zst", packed, size)};
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hs_input_open(&in, paths[i], &sink.diag), HS_OK);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(hs_input_peek(in, &head, &len), HS_OK);
            assert_int_equal(len, 64 << 10);
            assert_memory_equal(head, large, len);
        }
        assert_true(hs_input_bytes(in) == 0);
        size_t at = 0;
        while (hs_input_read(in, &data, &len) == HS_OK) {
            assert_memory_equal(data, large + at, len);
            at += len;
        }
        assert_int_equal(at, LARGE);
        hs_input_close(in);
    }
}

static void test_peek_of_less_and_of_nothing(void **state)
{
    struct hs_input *in;
    const char *data;
    size_t len;
    (void)state;
    assert_int_equal(hs_input_open(&in, scratch_write("abc", "abc", 3), &sink.diag), HS_OK);
    assert_int_equal(hs_input_peek(in, &data, &len), HS_OK);
    assert_int_equal(len, 3);
    assert_int_equal(hs_input_read(in, &data, &len), HS_OK);
    assert_int_equal(len, 3);
    assert_int_equal(hs_input_read(in, &data, &len), HS_END);
    hs_input_close(in);
    assert_int_equal(hs_input_open(&in, scratch_write("empty", "", 0), &sink.diag), HS_OK);
    assert_int_equal(hs_input_peek(in, &data, &len), HS_OK);
    assert_int_equal(len, 0);
    assert_int_equal(hs_input_read(in, &data, &len), HS_END);
    hs_input_close(in);
    hs_input_close(NULL);
}

static void test_peek_reports_damage(void **state)
{
    struct hs_input *in;
    const char *data;
    size_t len;
    (void)state;
    gzip(packed, sizeof packed, "abc", 3);
    assert_int_equal(hs_input_open(&in, scratch_write("p.gz", packed, 12), &sink.diag), HS_OK);
    assert_int_equal(hs_input_peek(in, &data, &len), HS_E_INPUT);
    assert_int_equal(sink.diag.errors, 1);
    hs_input_close(in);
}

/* Standard input is a pipe that delivers the magic number in two parts. */
static void test_stdin(void **state)
{
    int ends[2];
    struct hs_input *in;
    const char *data;
    size_t len, size = gzip(packed, sizeof packed, "abc", 3);
    (void)state;
    int saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    close(ends[0]);
    assert_true(write(ends[1], packed, 1) == 1);
    assert_true(write(ends[1], packed + 1, size - 1) == (ssize_t)size - 1);
    close(ends[1]);
    assert_int_equal(hs_input_open(&in, "-", &sink.diag), HS_OK);
    assert_string_equal(hs_input_path(in), "<stdin>");
    assert_int_equal(hs_input_read(in, &data, &len), HS_OK);
    assert_int_equal(len, 3);
    assert_memory_equal(data, "abc", 3);
    assert_int_equal(hs_input_read(in, &data, &len), HS_END);
    uint64_t done, total;
    hs_input_progress(in, &done, &total);
    assert_true(done == size && total == 0); /* a pipe has no size */
    hs_input_close(in);
    assert_true(dup2(saved, STDIN_FILENO) == STDIN_FILENO);
    close(saved);
}

static void test_progress_is_in_bytes_of_the_file(void **state)
{
    struct hs_input *in;
    const char *data;
    size_t len, size = gzip(packed, sizeof packed, large, LARGE);
    uint64_t done, total;
    (void)state;
    assert_int_equal(hs_input_open(&in, scratch_write("p.gz", packed, size), &sink.diag), HS_OK);
    hs_input_progress(in, &done, &total);
    assert_true(done <= total && total == size);
    while (hs_input_read(in, &data, &len) == HS_OK)
        assert_true(len > 0);
    hs_input_progress(in, &done, &total);
    assert_true(done == size && total == size);
    hs_input_close(in);
}

static void test_files_that_cannot_be_read(void **state)
{
    struct hs_input *in;
    (void)state;
    assert_int_equal(hs_input_open(&in, "no/such/file", &sink.diag), HS_E_IO);
    assert_null(in);
    assert_int_equal(hs_input_open(&in, "/", &sink.diag), HS_E_IO);
    assert_null(in);
    assert_string_equal(sink.text, "no/such/file: error: cannot open: No such file or directory\n"
                                   "/: error: cannot read: Is a directory\n");
}

static void test_read_file(void **state)
{
    char *text;
    size_t len;
    (void)state;
    assert_int_equal(hs_read_file(scratch_write("f", "abc", 3), 3, &text, &len, &sink.diag), HS_OK);
    assert_int_equal(len, 3);
    assert_string_equal(text, "abc");
    hs_free(text);
    assert_int_equal(hs_read_file(scratch_write("f", "", 0), 3, &text, &len, &sink.diag), HS_OK);
    assert_int_equal(len, 0);
    assert_string_equal(text, "");
    hs_free(text);
    const char *path = scratch_write("large", large, LARGE);
    assert_int_equal(hs_read_file(path, LARGE, &text, &len, &sink.diag), HS_OK);
    assert_int_equal(len, LARGE);
    assert_memory_equal(text, large, LARGE);
    assert_int_equal(text[len], '\0');
    hs_free(text);
}

static void test_read_file_has_a_limit(void **state)
{
    char *text, expected[1024];
    size_t len;
    const char *path = scratch_write("f", "abcd", 4);
    (void)state;
    assert_int_equal(hs_read_file(path, 3, &text, &len, &sink.diag), HS_E_LIMIT);
    assert_null(text);
    snprintf(expected, sizeof expected, "%s: error: the file is larger than 3 bytes\n", path);
    assert_string_equal(sink.text, expected);
    assert_int_equal(hs_read_file("no/such/file", 3, &text, &len, &sink.diag), HS_E_IO);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_plain, set_up),
        cmocka_unit_test_setup(test_gzip, set_up),
        cmocka_unit_test_setup(test_zstd, set_up),
        cmocka_unit_test_setup(test_recognised_by_content, set_up),
        cmocka_unit_test_setup(test_gzip_members_follow_each_other, set_up),
        cmocka_unit_test_setup(test_zstd_frames_follow_each_other, set_up),
        cmocka_unit_test_setup(test_every_truncation_is_an_error, set_up),
        cmocka_unit_test_setup(test_truncation_of_a_later_member_is_an_error, set_up),
        cmocka_unit_test_setup(test_truncation_message, set_up),
        cmocka_unit_test_setup(test_damage_is_an_error, set_up),
        cmocka_unit_test_setup(test_peek_does_not_consume, set_up),
        cmocka_unit_test_setup(test_peek_of_less_and_of_nothing, set_up),
        cmocka_unit_test_setup(test_peek_reports_damage, set_up),
        cmocka_unit_test_setup(test_stdin, set_up),
        cmocka_unit_test_setup(test_progress_is_in_bytes_of_the_file, set_up),
        cmocka_unit_test_setup(test_files_that_cannot_be_read, set_up),
        cmocka_unit_test_setup(test_read_file, set_up),
        cmocka_unit_test_setup(test_read_file_has_a_limit, set_up),
    };
    return cmocka_run_group_tests(tests, open_all, scratch_close);
}
