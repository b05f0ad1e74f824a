/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Elements of a huge JSON array (or of JSON Lines), one at a time in bounded memory: a splitter
 * finds each top-level element, cJSON parses it in an arena that the next one reuses. Faults are
 * reported where they are: control characters inside strings, missing commas, a truncated file,
 * depth over 64, an element over 16 MiB, text after the array.
 *
 *     while ((s = hs_jsonstream_next(stream, &element)) == HS_OK)
 *         vc = hs_json_text(hs_json_get(element, "vc"));
 */
#ifndef HORUS_DATA_JSONSTREAM_H
#define HORUS_DATA_JSONSTREAM_H

#include "base/diag.h"
#include "base/io.h"
#include "data/json.h"

struct hs_jsonstream;

void hs_jsonstream_open(struct hs_jsonstream **stream, struct hs_input *input,
                        struct hs_diag *diag);
/* The element lives until the next call. HS_E_INPUT: this element is bad, or the file is beyond
 * repair from here on; in the first case the next call goes on, in the second it is HS_E_IO. */
HS_MUST_USE enum hs_status hs_jsonstream_next(struct hs_jsonstream *stream,
                                              const struct hs_json **element);
/* On which line the current element begins. */
int64_t hs_jsonstream_line(const struct hs_jsonstream *stream);
/* Place of a value inside the current element (NULL = the element): file, line, column, excerpt. */
struct hs_place hs_jsonstream_place(struct hs_jsonstream *stream, const struct hs_json *value);
void hs_jsonstream_close(struct hs_jsonstream *stream);

#endif
