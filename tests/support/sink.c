/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sink and scratch folder of the unit tests. An error here ends the test program at once: it is not
 * one of the code under test.
 */
#include "support/sink.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch[256];

static void die(const char *what)
{
    perror(what);
    exit(99);
}

static void sink_emit(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct sink *sink = ctx;
    (void)severity;
    if (len + 2 > sizeof sink->text - sink->len)
        return;
    memcpy(sink->text + sink->len, text, len);
    sink->len += len;
    sink->text[sink->len++] = '\n';
    sink->text[sink->len] = '\0';
}

void sink_init(struct sink *sink)
{
    hs_diag_init(&sink->diag, sink_emit, sink);
    sink_clear(sink);
}

void sink_clear(struct sink *sink)
{
    sink->len = 0;
    sink->text[0] = '\0';
    sink->diag.errors = 0;
    sink->diag.warnings = 0;
}

int scratch_open(void **state)
{
    const char *parent = getenv("TMPDIR");
    (void)state;
    snprintf(scratch, sizeof scratch, "%s/horus-test-XXXXXX", parent != NULL ? parent : "/tmp");
    if (mkdtemp(scratch) == NULL)
        die(scratch);
    return 0;
}

int scratch_enter(void **state)
{
    return scratch_open(state) != 0 || chdir(scratch_path("")) != 0;
}

static int remove_all(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    char inner[1024];
    if (dir == NULL)
        return remove(path);
    while ((entry = readdir(dir)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            remove_all(inner);
        }
    closedir(dir);
    return rmdir(path);
}

int scratch_close(void **state)
{
    (void)state;
    return remove_all(scratch);
}

const char *scratch_path(const char *name)
{
    static char paths[4][768];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

const char *scratch_write(const char *name, const void *data, size_t len)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        die(path);
    if (len > 0 && fwrite(data, 1, len, file) != len)
        die(path);
    if (fclose(file) != 0)
        die(path);
    return path;
}

void scratch_keep(char *path, size_t size, const char *name, const char *text)
{
    const char *made = scratch_write(name, text, strlen(text));
    if (strlen(made) >= size)
        die(made);
    memcpy(path, made, strlen(made) + 1);
}
