/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Markup that is HTML and well-formed XML at once. Names in traces, paths and messages go out
 * through hs_html_text or as %s of hs_markup, which escape them; hs_say writes plain markup.
 *
 *     hs_markup(out, "<td>%s</td>", job->user);
 */
#ifndef HORUS_REPORT_HTML_HTML_H
#define HORUS_REPORT_HTML_HTML_H

#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "report/run/run_table.h"

#define HS_HTML_SAY_MAX 1024 /* bytes of a text that is composed before it is escaped */

/* Safe between tags and in quoted attributes: & < > " ' are escaped; bytes that are no UTF-8, and
 * characters that XML does not have, become U+FFFD. */
void hs_html_text(struct hs_output *out, const char *text);
/* Markup whose %s are escaped; of other conversions it knows %u, "%" PRIu64 and %%. */
HS_PRINTF(2, 3)
void hs_markup(struct hs_output *out, const char *fmt, ...);
/* The rest of a start tag, and the value behind it, rounded: every digit stands in the attribute
 * data-value, which is absent for NaN. */
void hs_html_value(struct hs_output *out, const struct hs_runcolumn *column, double value);
/* A table cell of it. class: of the cell, may be NULL. below: a second line, "" = none. */
void hs_html_cell(struct hs_output *out, const struct hs_runcolumn *column, double value,
                  const char *class, const char *below);
/* A file inside the page: "data:TYPE;base64,...". */
void hs_html_data_uri(struct hs_output *out, const char *type, const unsigned char *bytes,
                      size_t len);

#endif
