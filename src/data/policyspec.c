/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text in, text out: a spec is short and is changed a few times in a run.
 */
#include "data/policyspec.h"

#include <string.h>

struct piece {
    const char *text;
    size_t len;
};

static char *put(char *to, struct piece piece)
{
    memcpy(to, piece.text, piece.len);
    return to + piece.len;
}

static char *put_text(char *to, const char *text)
{
    return put(to, (struct piece){text, strlen(text)});
}

/* '-' and '_' are the same in keys. */
static bool has_key(struct piece pair, const char *key)
{
    size_t len = strlen(key);
    if (pair.len <= len || pair.text[len] != '=')
        return false;
    for (size_t i = 0; i < len; i++)
        if ((pair.text[i] == '-' ? '_' : pair.text[i]) != (key[i] == '-' ? '_' : key[i]))
            return false;
    return true;
}

/* One policy: its name, its other parameters in their order, then the new one. */
static char *spec_set(char *to, struct piece spec, const char *key, const char *value, bool is_weak)
{
    const char *end = spec.text + spec.len;
    const char *p = memchr(spec.text, ':', spec.len);
    const char *kept = NULL;
    char before = ':';

    to = put(to, (struct piece){spec.text, (size_t)((p != NULL ? p : end) - spec.text)});
    while (p != NULL && p < end) {
        const char *begin = p + 1;
        p = memchr(begin, ',', (size_t)(end - begin));
        struct piece pair = {begin, (size_t)((p != NULL ? p : end) - begin)};
        if (pair.len == 0)
            continue;
        if (has_key(pair, key)) {
            if (!is_weak)
                continue;
            kept = pair.text;
        }
        *to++ = before;
        before = ',';
        to = put(to, pair);
    }
    if (kept != NULL)
        return to;
    *to++ = before;
    to = put_text(to, key);
    *to++ = '=';
    return put_text(to, value);
}

const char *hs_policyspec_set(struct hs_arena *arena, const char *specs, const char *key,
                              const char *value, bool is_weak)
{
    size_t lines = 1;
    for (const char *p = specs; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    char *text =
        hs_arena_alloc(arena, strlen(specs) + lines * (strlen(key) + strlen(value) + 3) + 1);
    char *to = text;
    if (text == NULL)
        return NULL;
    for (size_t len;; specs += len + 1) {
        len = strcspn(specs, "\n");
        to = spec_set(to, (struct piece){specs, len}, key, value, is_weak);
        if (specs[len] == '\0')
            break;
        *to++ = '\n';
    }
    return text;
}

const char *hs_policyspec_merge(struct hs_arena *arena, const char *specs, const char *from,
                                bool is_weak)
{
    const char *list = strchr(from, ':');
    for (list = list != NULL ? list + 1 : ""; *list != '\0' && specs != NULL;) {
        size_t len = strcspn(list, ",");
        char *key = hs_arena_text(arena, list, len);
        char *equals = key != NULL ? strchr(key, '=') : NULL;
        if (key == NULL)
            return NULL;
        if (equals != NULL) {
            *equals = '\0';
            specs = hs_policyspec_set(arena, specs, key, equals + 1, is_weak);
        }
        list += len + (list[len] == ',');
    }
    return specs;
}
