/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What config.c (values and origins) and config_file.c (their JSON) share.
 */
#ifndef HORUS_DATA_CONFIG_PRIVATE_H
#define HORUS_DATA_CONFIG_PRIVATE_H

#include "data/config.h"

/* Index of an option; HS_OPTIONS_MAX if there is none. '-' and '_' are the same. */
size_t hs_config_find(const struct hs_config *config, const char *key);
/* Is it the one option whose value is a policy with parameters? */
bool hs_config_is_policy(const struct hs_option *option);
/* What the option itself has against a text, told at `place`. */
HS_MUST_USE enum hs_status hs_config_vet(const struct hs_option *option, const char *text,
                                         const struct hs_place *place, struct hs_diag *diag);
/* Checks a value that was vetted; stores it unless a stronger origin has set it. */
HS_MUST_USE enum hs_status hs_config_store(struct hs_config *config, size_t index,
                                           const char *value, enum hs_origin origin,
                                           const struct hs_place *place, struct hs_diag *diag);
/* Reports a key that is none, or none of a configuration. */
enum hs_status hs_config_unknown(const struct hs_config *config, const char *key,
                                 const struct hs_place *place, struct hs_diag *diag);

#endif
