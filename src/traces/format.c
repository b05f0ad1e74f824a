/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats (formats.def) and the words that they share. All look-ups are linear in a
 * handful of entries and happen once per trace, except hs_fate_parse, once per row.
 */
#include "traces/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORMAT(name) extern const struct hs_trace_format hs_trace_format_##name;
#include "traces/formats.def"
#undef FORMAT

static const struct hs_trace_format *const formats[] = {
#define FORMAT(name) &hs_trace_format_##name,
#include "traces/formats.def"
#undef FORMAT
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const char *const hs_drop_texts[HS_DROP_COUNT] = {
#define HS_DROP_TEXT(name, text) text,
    HS_DROP_LIST(HS_DROP_TEXT)
#undef HS_DROP_TEXT
};

/* Slurm states as in Helios and Acme (SC'21 counts TIMEOUT and NODE_FAIL as failed), the three
 * words of Philly, and our own. */
#define FATE(word, fate)                                                                           \
    {                                                                                              \
        word, sizeof word - 1, fate                                                                \
    }
static const struct {
    const char *word;
    size_t len;
    int fate;
} fates[] = {
    FATE("completed", HS_OUTCOME_COMPLETED), FATE("cancelled", HS_OUTCOME_CANCELLED),
    FATE("failed", HS_OUTCOME_FAILED),       FATE("timeout", HS_OUTCOME_FAILED),
    FATE("node_fail", HS_OUTCOME_FAILED),    FATE("out_of_memory", HS_OUTCOME_FAILED),
    FATE("pass", HS_OUTCOME_COMPLETED),      FATE("killed", HS_OUTCOME_CANCELLED),
    FATE("canceled", HS_OUTCOME_CANCELLED),  FATE("unknown", HS_OUTCOME_UNKNOWN),
    FATE("running", HS_FATE_RUNNING),        FATE("suspended", HS_FATE_RUNNING),
    FATE("pending", HS_FATE_RUNNING),
};
#undef FATE

int hs_fate_parse(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof fates / sizeof fates[0]; i++)
        if (fates[i].len == len && strncasecmp(fates[i].word, text, len) == 0)
            return fates[i].fate;
    return -1;
}

const struct hs_trace_format *hs_trace_format_at(size_t index)
{
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

const struct hs_trace_format *hs_trace_format_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const char *hs_trace_format_list(bool is_for_writing, char list[HS_FORMAT_LIST_MAX])
{
    const char *names[FORMAT_COUNT];
    size_t count = 0, used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!is_for_writing || formats[i]->layout != NULL)
            names[count++] = formats[i]->name;
    for (size_t i = 0; i < count && used < HS_FORMAT_LIST_MAX; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used += (size_t)snprintf(list + used, HS_FORMAT_LIST_MAX - used, "%s%s", before, names[i]);
    }
    return list;
}

enum hs_status hs_trace_format_check(const char *name, struct hs_diag *diag)
{
    char list[HS_FORMAT_LIST_MAX], hint[HS_FORMAT_LIST_MAX + 16];
    const char *names[FORMAT_COUNT];
    if (strcmp(name, "auto") == 0 || hs_trace_format_find(name))
        return HS_OK;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        names[i] = formats[i]->name;
    (void)snprintf(hint, sizeof hint, "one of %s", hs_trace_format_list(false, list));
    const char *nearest = hs_nearest(name, names, FORMAT_COUNT);
    if (nearest)
        (void)snprintf(hint, sizeof hint, "did you mean '%s'?", nearest);
    return hs_fail(diag, HS_E_USAGE, NULL, hint, "unknown trace format '%s'", name);
}

const struct hs_trace_format *hs_trace_format_recognise(const char *head, size_t len)
{
    const struct hs_trace_format *best = NULL;
    int best_sure = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        int sure = formats[i]->recognise(head, len);
        if (sure > best_sure) {
            best = formats[i];
            best_sure = sure;
        }
    }
    return best;
}
