/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A JSON document: a file, read as a whole, and the tree of it. Comments are allowed.
 */
#include <string.h>

#include "base/io.h"
#include "data/json_private.h"

#define DOCUMENT_MAX (UINT64_C(16) << 20)

struct hs_json_doc {
    char *text; /* as read, comments included */
    struct hs_arena arena;
    struct hs_json_source source;
    const struct hs_json *root;
};

static enum hs_status document_read(struct hs_json_doc *doc, const char *path, struct hs_diag *diag)
{
    size_t len;
    HS_TRY(hs_read_file(path, DOCUMENT_MAX, &doc->text, &len, diag));
    size_t bom = len >= 3 && memcmp(doc->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *name = hs_arena_text(&doc->arena, path, strlen(path));
    char *blanked = hs_arena_text(&doc->arena, doc->text + bom, len - bom);
    if (name == NULL || blanked == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory for this JSON", path);
    doc->source = (struct hs_json_source){.file = name,
                                          .text = doc->text + bom,
                                          .len = len - bom,
                                          .end = len - bom,
                                          .line = 1,
                                          .column = 1,
                                          .has_comments = true};
    return hs_json_parse(&doc->source, blanked, &doc->arena, &doc->root, diag);
}

enum hs_status hs_json_load(struct hs_json_doc **out, const char *path, struct hs_diag *diag)
{
    *out = NULL;
    struct hs_json_doc *doc = hs_alloc_zeroed(1, sizeof *doc);
    if (doc == NULL)
        return hs_fail(diag, HS_E_MEMORY, NULL, NULL, "%s: no memory for this JSON", path);
    enum hs_status status = document_read(doc, path, diag);
    if (status == HS_OK)
        *out = doc;
    else
        hs_json_close(doc);
    return status;
}

struct hs_place hs_json_place(const struct hs_json_doc *doc, const struct hs_json *value)
{
    return hs_json_locate(&doc->source, doc->root, value, false);
}

struct hs_place hs_json_place_key(const struct hs_json_doc *doc, const struct hs_json *member)
{
    return hs_json_locate(&doc->source, doc->root, member, true);
}

const struct hs_json *hs_json_root(const struct hs_json_doc *doc)
{
    return doc->root;
}

void hs_json_close(struct hs_json_doc *doc)
{
    if (doc == NULL)
        return;
    hs_arena_free(&doc->arena);
    hs_free(doc->text);
    hs_free(doc);
}
