/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every file of tests/fuzz/corpus through every target that reads its folder, unchanged and with
 * seeded mutations: bits flipped, marks inserted, bytes removed and doubled, digits changed. Some
 * of the files reproduce defects that fuzzing found. HORUS_LONG=1: a hundred times as many
 * mutations. One target, other mutations, and so many of each file:
 *
 *     FUZZ_TARGET=run HORUS_SEED=7 FUZZ_TIMES=100000 build/release/tests/fuzz/test_corpus
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/rng.h"
#include "fuzz/fuzz.h"

#define CORPUS    "tests/fuzz/corpus"
#define MUTATIONS 100 /* of a file, over the targets of its folder */
#define SEED      20260601u
#define GROWTH    256 /* bytes that a mutation adds at most */

static const uint8_t tokens[] = "\"{}[],:\n-.0/ \t\xff\x00e#'";

/* In place; returns the new length, at most len + GROWTH. */
static size_t mutate(struct hs_rng *rng, uint8_t *bytes, size_t len)
{
    size_t at = hs_rng_below(rng, len + 1), span = 1 + hs_rng_below(rng, GROWTH / 4);
    size_t rest = len - at, cut = span < rest ? span : rest;
    if (at == len)
        return len;
    switch (hs_rng_below(rng, 6)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << hs_rng_below(rng, 8));
        return len;
    case 1:
        bytes[at] = tokens[hs_rng_below(rng, sizeof tokens - 1)];
        return len;
    case 2: /* removed */
        memmove(bytes + at, bytes + at + cut, rest - cut);
        return len - cut;
    case 3: /* doubled */
        memmove(bytes + at + cut, bytes + at, rest);
        return len + cut;
    case 4: /* the next digits */
        while (at < len && (bytes[at] < '0' || bytes[at] > '9'))
            at++;
        while (at < len && bytes[at] >= '0' && bytes[at] <= '9')
            bytes[at++] = (uint8_t)('0' + hs_rng_below(rng, 10));
        return len;
    default: /* cut off */
        return hs_rng_below(rng, 8) == 0 ? at : len;
    }
}

static char now[1024]; /* the present input, for the message about a failure */

static const uint8_t *kept;
static size_t kept_len;
static const char broken[] = "/tmp/horus-fuzz-broken";

static void try_file(const struct fuzz_target *target, const char *path, uint64_t mutations,
                     uint64_t seed)
{
    struct hs_diag diag;
    struct hs_rng rng;
    char *text;
    size_t len;
    hs_diag_init(&diag, NULL, NULL);
    assert_int_equal(hs_read_file(path, UINT32_MAX, &text, &len, &diag), HS_OK);
    uint8_t *bytes = malloc(len + 8 * GROWTH);
    assert_non_null(bytes);
    hs_rng_open(&rng, seed, path);
    for (uint64_t i = 0; i <= mutations; i++) {
        size_t size = len;
        memcpy(bytes, text, len);
        for (uint64_t k = i > 0 ? UINT64_C(1) << hs_rng_below(&rng, 6) : 0; k > 0; k--)
            size = mutate(&rng, bytes, size);
        snprintf(now, sizeof now, "%s, mutation %d of %s", target->name, (int)i, path);
        kept = bytes;
        kept_len = size;
        target->eat(target, bytes, size);
    }
    hs_rng_close(&rng);
    free(bytes);
    hs_free(text);
}

static uint32_t targets_of(const char *corpus)
{
    uint32_t count = 0;
    const struct fuzz_target *t;
    for (size_t i = 0; (t = fuzz_target_at(i)) != NULL; i++)
        count += strcmp(t->corpus, corpus) == 0;
    return count;
}

static void try_folder(void **state)
{
    const struct fuzz_target *target = *state;
    char folder[256], path[600];
    uint32_t files = 0;
    const char *times = getenv("FUZZ_TIMES"), *is_long = getenv("HORUS_LONG"),
               *seed = getenv("HORUS_SEED");
    uint64_t mutations = (is_long != NULL && *is_long != '\0' ? 100u : 1u) * MUTATIONS;
    mutations =
        (times != NULL ? strtoull(times, NULL, 10) : mutations) / targets_of(target->corpus);
    snprintf(folder, sizeof folder, "%s/%s", CORPUS, target->corpus);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        try_file(target, path, mutations, seed != NULL ? strtoull(seed, NULL, 10) : SEED);
        files++;
    }
    closedir(dir);
    assert_true(files > 0);
}

/* fuzz_broken and sanitizers abort. */
static void show_input(int signal_number)
{
    (void)signal(signal_number, SIG_DFL);
    (void)fprintf(stderr, "fuzz: %s; the bytes: %s\n", now, broken);
    int fd = open(broken, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, kept, kept_len) != (ssize_t)kept_len)
        perror(broken);
    (void)raise(signal_number);
}

int main(void)
{
    struct CMUnitTest tests[FUZZ_TARGETS_MAX];
    const char *only = getenv("FUZZ_TARGET");
    const struct fuzz_target *t;
    size_t count = 0;
    hs_on_fatal(fuzz_exhausted);
    for (size_t i = 0; (t = fuzz_target_at(i)) != NULL; i++)
        if (only == NULL || strcmp(only, t->name) == 0)
            tests[count++] = (struct CMUnitTest){
                .name = t->name, .test_func = try_folder, .initial_state = (void *)(uintptr_t)t};
    (void)signal(SIGABRT, show_input);
    (void)signal(SIGSEGV, show_input);
    return _cmocka_run_group_tests("corpus", tests, count, NULL, NULL);
}
