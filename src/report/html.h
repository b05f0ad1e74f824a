/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pieces of a page that is HTML and well-formed XML at once. Markup goes out through hs_say; every
 * text that is not ours - names in traces, paths, messages - through these.
 *
 *     hs_say(out, "<td>");
 *     hs_html_text(out, job->user);
 *     hs_say(out, "</td>");
 */
#ifndef HORUS_REPORT_HTML_H
#define HORUS_REPORT_HTML_H

#include <stddef.h>
#include <stdint.h>

#include "base/io.h"
#include "report/runcolumn.h"

/* Safe between tags and in quoted attributes: & < > " ' are escaped; bytes that are no UTF-8, and
 * characters that XML does not have, become U+FFFD. */
void hs_html_text(struct hs_output *out, const char *text);
/* The same of a formatted text; what does not fit into HS_HTML_SAY_MAX bytes is cut. */
#define HS_HTML_SAY_MAX 1024
HS_PRINTF(2, 3)
void hs_html_say(struct hs_output *out, const char *fmt, ...);
/* Every digit, as in summary.json; nothing for NaN. */
void hs_html_number(struct hs_output *out, double value);
/* A table cell: the value for people between the tags, every digit in the attribute data-value,
 * which is absent for NaN. class: of the cell, may be NULL. below: a second line, "" = none. */
void hs_html_cell(struct hs_output *out, const struct hs_runcolumn *column, double value,
                  const char *class, const char *below);
/* A file inside the page: "data:TYPE;base64,...". */
void hs_html_data_uri(struct hs_output *out, const char *type, const unsigned char *bytes,
                      size_t len);

#endif
