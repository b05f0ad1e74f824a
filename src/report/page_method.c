/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was run: semantics card, configuration, inputs and outputs with their hashes, checks and
 * warnings, from the manifests. What differs from one run of the same thing to the next (host,
 * times) is left out, so that the page does not differ either.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "report/html.h"
#include "report/page.h"

/* Of a column: the card of a group, or the configuration of its first run. */
typedef const struct hs_json *(*object_of)(const struct hs_page *page, uint32_t group);

static const struct hs_json *card_of(const struct hs_page *page, uint32_t group)
{
    return page->groups[group].card;
}

static const struct hs_json *config_of(const struct hs_page *page, uint32_t group)
{
    return page->kind == HS_PAGE_RUNS ? page->runs[page->groups[group].first].manifest.config
                                      : page->manifest.config;
}

/* A value as one line: lists with commas. */
static void value_text(const struct hs_json *value, char *text, size_t size)
{
    char number[HS_RUNMANIFEST_NUMBER_SIZE];
    size_t len = 0;
    text[0] = '\0';
    if (hs_json_kind(value) == HS_JSON_ARRAY) {
        for (const struct hs_json *v = hs_json_first(value); v != NULL && len < size;
             v = hs_json_next(v)) {
            const char *one = hs_runmanifest_text(v, number);
            int put = snprintf(text + len, size - len, "%s%s", len > 0 ? ", " : "",
                               one != NULL ? one : "...");
            len += put > 0 ? (size_t)put : 0;
        }
        return;
    }
    const char *one = hs_json_kind(value) == HS_JSON_BOOL ? (hs_json_bool(value) ? "yes" : "no")
                                                          : hs_runmanifest_text(value, number);
    (void)snprintf(text, size, "%s", one != NULL ? one : "");
}

#define VALUE_SIZE 1024

/* A comparison and a sweep have one configuration, however many groups. */
static uint32_t columns_of(const struct hs_page *page, object_of of)
{
    return of == config_of && page->kind != HS_PAGE_RUNS ? 1 : page->group_count;
}

static bool is_alike(const struct hs_page *page, object_of of, const char *key)
{
    char first[VALUE_SIZE], other[VALUE_SIZE];
    value_text(hs_json_get(of(page, 0), key), first, sizeof first);
    for (uint32_t g = 1; g < columns_of(page, of); g++) {
        value_text(hs_json_get(of(page, g), key), other, sizeof other);
        if (strcmp(first, other) != 0)
            return false;
    }
    return true;
}

/* Of a key that a sweep went through, its values; else one of the configuration. */
static void column_text(const struct hs_page *page, object_of of, uint32_t column, const char *key,
                        char text[VALUE_SIZE])
{
    const struct hs_sweeptable *t = of == config_of ? page->sweep : NULL;
    size_t len = 0;
    value_text(hs_json_get(of(page, column), key), text, VALUE_SIZE);
    for (uint32_t a = 0; t != NULL && a < t->axis_count; a++)
        for (uint32_t i = 0; strcmp(t->axes[a].key, key) == 0 && i < t->axes[a].count; i++) {
            const int put = snprintf(text + len, VALUE_SIZE - len, "%s%s",
                                     i == 0 ? "swept: " : ", ", t->axes[a].values[i]);
            len += put > 0 && (size_t)put < VALUE_SIZE - len ? (size_t)put : 0;
        }
}

/* A row a key: one cell across all groups where they agree. */
static void put_row(struct hs_page *page, object_of of, const char *key)
{
    struct hs_output *out = page->out;
    char text[VALUE_SIZE];
    hs_say(out, "<tr><th scope=\"row\">");
    hs_html_text(out, key);
    hs_say(out, "</th>");
    if (is_alike(page, of, key)) {
        column_text(page, of, 0, key, text);
        hs_say(out, "<td class=\"text\" colspan=\"%" PRIu32 "\">", columns_of(page, of));
        hs_html_text(out, text);
        hs_say(out, "</td></tr>\n");
        return;
    }
    for (uint32_t g = 0; g < columns_of(page, of); g++) {
        column_text(page, of, g, key, text);
        hs_say(out, "<td class=\"text\">");
        hs_html_text(out, text);
        hs_say(out, "</td>");
    }
    hs_say(out, "</tr>\n");
}

/* Keys of the first group, then those that only later ones have. */
static void put_object(struct hs_page *page, object_of of)
{
    struct hs_output *out = page->out;
    hs_say(out, "<div class=\"wide\"><table class=\"method\">");
    if (columns_of(page, of) > 1) {
        hs_say(out, "<thead><tr><th></th>");
        for (uint32_t g = 0; g < columns_of(page, of); g++) {
            hs_say(out, "<th scope=\"col\">");
            hs_html_text(out, page->groups[g].label);
            hs_say(out, "</th>");
        }
        hs_say(out, "</tr></thead>\n");
    }
    hs_say(out, "<tbody>\n");
    for (uint32_t g = 0; g < columns_of(page, of); g++)
        for (const struct hs_json *v = hs_json_first(of(page, g)); v != NULL; v = hs_json_next(v)) {
            bool is_new = true;
            for (uint32_t before = 0; before < g && is_new; before++)
                is_new = hs_json_get(of(page, before), hs_json_key(v)) == NULL;
            if (is_new)
                put_row(page, of, hs_json_key(v));
        }
    hs_say(out, "</tbody></table></div>\n");
}

/* ---- files ---- */

static void put_file(struct hs_output *out, const struct hs_json *file, const char *name_key)
{
    static const char *const counts[] = {"rows", "bytes"};
    const char *role = hs_json_text(hs_json_get(file, "role")),
               *name = hs_json_text(hs_json_get(file, name_key)),
               *hash = hs_json_text(hs_json_get(file, "xxh3_64"));
    hs_say(out, "<tr><th scope=\"row\">");
    hs_html_text(out, name != NULL ? name : "");
    hs_say(out, "</th><td class=\"text\">");
    hs_html_text(out, role != NULL ? role : "");
    hs_say(out, "</td>");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char text[VALUE_SIZE];
        value_text(hs_json_get(file, counts[i]), text, sizeof text);
        hs_say(out, "<td>");
        hs_html_text(out, strcmp(text, "0") == 0 ? "" : text);
        hs_say(out, "</td>");
    }
    hs_say(out, "<td class=\"text\"><code>");
    hs_html_text(out, hash != NULL ? hash : "");
    hs_say(out, "</code></td></tr>\n");
}

/* The page itself is no output that it could list. */
static bool is_page(const struct hs_json *file)
{
    const char *name = hs_json_text(hs_json_get(file, "name"));
    return name != NULL && strcmp(name, HS_PAGE_FILE) == 0;
}

static void put_files(struct hs_page *page, const struct hs_runmanifest *manifest)
{
    struct hs_output *out = page->out;
    const struct hs_json *root = hs_json_root(manifest->doc);
    hs_say(out, "<div class=\"wide\"><table class=\"figures\"><thead><tr><th>file</th><th>role</th>"
                "<th>rows</th><th>bytes</th><th>XXH3-64</th></tr></thead>\n<tbody>\n");
    for (const struct hs_json *f = hs_json_first(hs_json_get(root, "inputs")); f != NULL;
         f = hs_json_next(f))
        put_file(out, f, "path");
    for (const struct hs_json *f = hs_json_first(hs_json_get(root, "outputs")); f != NULL;
         f = hs_json_next(f))
        if (!is_page(f))
            put_file(out, f, "name");
    hs_say(out, "</tbody></table></div>\n");
}

/* ---- program, checks, warnings ---- */

static void put_text_row(struct hs_output *out, const struct hs_json *root, const char *key)
{
    const char *text = hs_json_text(hs_json_get(root, key));
    if (text == NULL)
        return;
    hs_say(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">", key);
    hs_html_text(out, text);
    hs_say(out, "</td></tr>\n");
}

static void put_counts(struct hs_output *out, const struct hs_json *root, const char *key)
{
    const struct hs_json *count = hs_json_first(hs_json_get(root, key));
    char text[VALUE_SIZE];
    if (count == NULL)
        return;
    hs_say(out, "<tr><th scope=\"row\">%s</th><td class=\"text\">", key);
    for (bool is_first = true; count != NULL; count = hs_json_next(count), is_first = false) {
        value_text(count, text, sizeof text);
        hs_html_say(out, "%s%s %s", is_first ? "" : ", ", hs_json_key(count), text);
    }
    hs_say(out, "</td></tr>\n");
}

static void put_program(struct hs_page *page, const struct hs_runmanifest *manifest)
{
    static const char *const texts[] = {"version", "commit", "compiler", "flags"};
    static const char *const counts[] = {"libraries", "engine", "assigned", "checks"};
    struct hs_output *out = page->out;
    const struct hs_json *root = hs_json_root(manifest->doc);
    hs_say(out, "<div class=\"wide\"><table class=\"method\"><tbody>\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text_row(out, root, texts[i]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        put_counts(out, root, counts[i]);
    hs_say(out, "</tbody></table></div>\n");
}

static void put_warnings(struct hs_page *page, const struct hs_runmanifest *manifest,
                         const char *label)
{
    const struct hs_json *warning =
        hs_json_first(hs_json_get(hs_json_root(manifest->doc), "warnings"));
    for (; warning != NULL; warning = hs_json_next(warning)) {
        const char *text = hs_json_text(warning);
        if (text == NULL)
            continue;
        hs_say(page->out, "<p class=\"caution\">");
        if (label != NULL)
            hs_html_say(page->out, "%s: ", label);
        hs_html_text(page->out, text);
        hs_say(page->out, "</p>\n");
    }
}

static void put_all_warnings(struct hs_page *page)
{
    if (page->kind != HS_PAGE_RUNS)
        put_warnings(page, &page->manifest, NULL);
    for (uint32_t g = 0; g < page->group_count && page->kind == HS_PAGE_RUNS; g++)
        put_warnings(page, &page->runs[page->groups[g].first].manifest,
                     page->group_count > 1 ? page->groups[g].label : NULL);
}

static void begin_details(struct hs_page *page, const char *heading, const char *label)
{
    hs_say(page->out, "<details><summary>%s", heading);
    if (label != NULL) {
        hs_say(page->out, ": ");
        hs_html_text(page->out, label);
    }
    hs_say(page->out, "</summary>\n");
}

static void put_manifest(struct hs_page *page, const struct hs_runmanifest *manifest,
                         const char *label)
{
    begin_details(page, "Inputs and outputs", label);
    put_files(page, manifest);
    hs_say(page->out, "</details>\n");
    begin_details(page, "Program and checks", label);
    put_program(page, manifest);
    hs_say(page->out, "</details>\n");
}

void hs_page_method(struct hs_page *page)
{
    hs_page_begin_section(page, "method", "What was run");
    put_all_warnings(page);
    if (page->kind != HS_PAGE_SWEEP)
        put_object(page, card_of);
    begin_details(page, "Configuration", NULL);
    put_object(page, config_of);
    hs_say(page->out, "</details>\n");
    if (page->kind != HS_PAGE_RUNS)
        put_manifest(page, &page->manifest, NULL);
    for (uint32_t g = 0; g < page->group_count && page->kind == HS_PAGE_RUNS; g++)
        put_manifest(page, &page->runs[page->groups[g].first].manifest,
                     page->group_count > 1 ? page->groups[g].label : NULL);
    hs_page_end_section(page);
}
