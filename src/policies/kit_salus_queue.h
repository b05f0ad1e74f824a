/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who waits to be admitted by Salus. Requests are looked at in order of arrival, when one came or
 * room was made, and those that do not fit are skipped; under the plain server the first that does
 * not fit keeps the others waiting. With poll, one is admitted at each multiple of it.
 */
#ifndef HORUS_POLICIES_KIT_SALUS_QUEUE_H
#define HORUS_POLICIES_KIT_SALUS_QUEUE_H

#include "policies/kit_salus.h"

#define HS_SALUS_POLL_TAG UINT64_MAX /* of its timer; other tags are lanes */

HS_MUST_USE enum hs_status hs_salus_queue_init(struct hs_salus *s, const struct hs_view *v);
/* Somebody came, or left: it is worth a look. */
void hs_salus_queue_wake(struct hs_salus *s);
void hs_salus_queue_add(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
void hs_salus_queue_remove(struct hs_salus *s, const struct hs_view *v, hs_job_id job);
/* Admits, or turns away, and lists both as newcomers. */
void hs_salus_queue_scan(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p);
/* The plain server. */
void hs_salus_queue_serve(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p);
/* What the scan wrote, again, with newcomers that start as they are to go on. */
void hs_salus_queue_repeat(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p);
/* Asks for the next poll if there is something to be done then. */
void hs_salus_queue_poll(struct hs_salus *s, const struct hs_view *v, struct hs_plan *p);
const char *hs_salus_queue_check(const struct hs_salus *s, const struct hs_view *v);

#endif
