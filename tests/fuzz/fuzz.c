/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The entry point of libFuzzer, also of AFL++ with its driver for it: `make fuzz T=TARGET
 * SEC=SECONDS`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"

static const struct fuzz_target *target;

/* A tenth of the time of a reader: full stacks of allocations are needed for messages only; freed
 * memory is quarantined, but not so much of it that it fills the processor's caches. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "malloc_context_size=1:quarantine_size_mb=8:max_malloc_fill_size=0";
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_TARGET");
    const struct fuzz_target *at;
    (void)argc;
    (void)argv;
    for (size_t i = 0; (at = fuzz_target_at(i)) != NULL; i++)
        if (name != NULL && strcmp(at->name, name) == 0)
            target = at;
    if (target == NULL) {
        (void)fprintf(stderr, "FUZZ_TARGET is one of:\n");
        for (size_t i = 0; (at = fuzz_target_at(i)) != NULL; i++)
            (void)fprintf(stderr, "  %-20s seeds in tests/fuzz/corpus/%s\n", at->name, at->corpus);
        exit(2);
    }
    hs_on_fatal(fuzz_exhausted);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    target->eat(target, bytes, len);
    return 0;
}
