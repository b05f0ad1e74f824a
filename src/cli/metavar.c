/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The vocabulary of values.
 */
#include "cli/metavar.h"

#include <string.h>

#define BOUND HS_PATTERN_TIME "|[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2})?"

static const struct hs_metavar metavars[] = {
    {"TIME", HS_METAVAR_FREE, HS_PATTERN_TIME, "number",
     "90s, 15min, 2h or 7d; also us and ms. A bare number is seconds."},
    {"TIME/TIME/...", HS_METAVAR_FREE, NULL, NULL,
     "One to eight times with slashes between: 7s/30s/1min."},
    {"SIZE", HS_METAVAR_FREE, HS_PATTERN_SIZE, "number",
     "500MiB or 16GiB. A bare number is MiB; GB is the same as GiB."},
    {"N", HS_METAVAR_FREE, "[0-9]+", "integer", "A whole number."},
    {"X", HS_METAVAR_FREE, NULL, NULL, "A number: 0.25, 1e-3, or 25% for 0.25."},
    {"PERCENT", HS_METAVAR_FREE, NULL, NULL, "A number of per cent: 25 or 25%."},
    {"FILE", HS_METAVAR_FILE, NULL, NULL, NULL},
    {"FILES", HS_METAVAR_FILE, NULL, NULL, NULL},
    {"PATH", HS_METAVAR_FILE, NULL, NULL, NULL},
    {"TRACE", HS_METAVAR_FILE, NULL, NULL,
     "A trace: a file, plain or .gz or .zst, or - for standard input, its format recognised by "
     "content; or gen:NAME,n=JOBS,seed=N for made-up jobs (horus generate)."},
    {"EXPERIMENT.json", HS_METAVAR_FILE, NULL, NULL,
     "What is swept; horus schema sweep tells its form."},
    {"SPEC", HS_METAVAR_FILE, NULL, NULL,
     "A cluster: a JSON file, or a shape NODESxGPUS:TYPE with commas between: 20x8:V100,8x4:P100."},
    {"DIR", HS_METAVAR_DIR, NULL, NULL, NULL},
    {"RUN", HS_METAVAR_DIR, NULL, NULL, "The directory of a finished run."},
    {"NAME[:KEY=VALUE,...]", HS_METAVAR_POLICY, NULL, NULL,
     "A policy and its parameters: srtf or srtf:form=replace,preempt_cost=table."},
    {"POLICY", HS_METAVAR_POLICY, NULL, NULL, "The name of a policy."},
    {"COMMAND", HS_METAVAR_COMMAND, NULL, NULL, "A command of horus."},
    {"KEY=VALUE", HS_METAVAR_SETTING, NULL, NULL, NULL},
    {"LIST", HS_METAVAR_WORD, NULL, NULL, "Words with commas between."},
    {"NAME", HS_METAVAR_WORD, NULL, NULL, NULL},
    {"WORKLOAD", HS_METAVAR_FREE, "[^/\\n]+", "number", "A name without a slash."},
    {"SUBJECT", HS_METAVAR_WORD, NULL, NULL, NULL},
    {"ACTION", HS_METAVAR_WORD, NULL, NULL, NULL},
    {"OUTCOMES", HS_METAVAR_FREE, NULL, NULL,
     "Outcomes with commas between: completed, cancelled, failed, unknown."},
    {"SEEDS", HS_METAVAR_FREE, "[0-9]+(\\.\\.[0-9]+)?(,[0-9]+(\\.\\.[0-9]+)?)*", "integer",
     "Whole numbers: 1..5, or 1,3,7, or both."},
    {"MODEL", HS_METAVAR_FREE, "measured\\+fit|fit|none|const:" HS_PATTERN_NUMBER, NULL, NULL},
    {"MODEL[:BATCH[:PRECISION[:DATASET]]]", HS_METAVAR_FREE, NULL, NULL,
     "A job: ResNet18:64:amp; what is left out is the first that the catalogue has."},
    {"ID", HS_METAVAR_FREE, NULL, NULL, "What the trace calls a job."},
    {"TYPE", HS_METAVAR_FREE, NULL, NULL, "A GPU type such as V100."},
    {"MAP", HS_METAVAR_FILE, NULL, NULL,
     "Columns under their own names: submit_time=timestamp,gpus=num_gpus; or a JSON file of them."},
    {"CONDITION", HS_METAVAR_FREE, NULL, NULL, NULL},
    {"FROM..TO", HS_METAVAR_FREE, "(" BOUND ")?\\.\\.(" BOUND ")?", NULL,
     "Two times or dates: 10d..20d, 2017-10-01..2017-12-01, 2020-04-01 12:00:00.., ..12h. What is "
     "left out is the begin or the end."},
    {"YYYY-MM-DD", HS_METAVAR_FREE, "[0-9]{4}-[0-9]{2}-[0-9]{2}", NULL, "A date."},
};

#define METAVAR_COUNT (sizeof metavars / sizeof *metavars)

const struct hs_metavar *hs_metavar_at(size_t index)
{
    return index < METAVAR_COUNT ? &metavars[index] : NULL;
}

static const struct hs_metavar *find(const char *name, size_t len)
{
    for (size_t i = 0; i < METAVAR_COUNT; i++)
        if (strlen(metavars[i].name) == len && memcmp(metavars[i].name, name, len) == 0)
            return &metavars[i];
    return NULL;
}

/* "[COMMAND|formats]" without brackets, "RUN..." without dots. */
static size_t trim(const char **word, size_t len)
{
    if (len > 0 && **word == '[') {
        ++*word;
        len--;
        while (len > 0 && (*word)[len - 1] == ']')
            len--;
    }
    while (len > 0 && (*word)[len - 1] == '.')
        len--;
    return len;
}

static bool take(const char *text, size_t len, struct hs_metavar_part *part)
{
    bool is_literal = *text >= 'a' && *text <= 'z';
    *part = (struct hs_metavar_part){.text = text,
                                     .len = len,
                                     .is_literal = is_literal,
                                     .known = is_literal ? NULL : find(text, len)};
    return true;
}

/* Alternative *index of the word; *index less those that it has when that is too many. */
static bool part_of_word(const char *word, size_t len, uint32_t *index,
                         struct hs_metavar_part *part)
{
    size_t whole = len;
    if (find(word, len) == NULL)
        len = trim(&word, len);
    if (whole == len && find(word, len) != NULL)
        return (*index)-- == 0 && take(word, len, part);
    for (size_t at = 0, end; at < len; at = end + 1) {
        const char *bar = memchr(word + at, '|', len - at);
        end = bar != NULL ? (size_t)(bar - word) : len;
        if ((*index)-- == 0)
            return take(word + at, end - at, part);
    }
    return false;
}

bool hs_metavar_part(const char *text, uint32_t position, uint32_t index,
                     struct hs_metavar_part *part)
{
    uint32_t at = 0;
    for (size_t len; *text != '\0'; text += len + (text[len] == ' ')) {
        len = strcspn(text, " ");
        if (len == 1 && *text == '|') { /* "TRACE | RUN RUN": from the beginning */
            at = 0;
            continue;
        }
        if (at++ == position && part_of_word(text, len, &index, part))
            return true;
    }
    return false;
}
