/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the completion scripts of the two shells share: the words that may stand for a value. A word
 * that begins with '@' is a kind of words, which the script's own functions find: @file, @dir,
 * @policy, @command, @setting, @list (several with commas between), @none (anything).
 */
#ifndef HORUS_CLI_COMPLETE_H
#define HORUS_CLI_COMPLETE_H

#include <stdint.h>

#include "cli/cli.h"

#define HS_COMPLETE_OPERANDS 8u /* of a verb that takes many, so many are completed */

/* The lines of a script, up to NULL. */
void hs_complete_lines(struct hs_output *out, const char *const *lines);
/* "off fast full", "@file", "auto exact @none"; of a flag nothing. */
void hs_complete_option(struct hs_output *out, const struct hs_option *option);
/* Of the operand at `position`, from 0. */
void hs_complete_operand(struct hs_output *out, const struct hs_verb *verb, uint32_t position);
void hs_complete_verbs(struct hs_output *out);
/* Shell functions that both shells understand: names of policies, their parameters and values. */
void hs_complete_policies(struct hs_output *out);
/* And the keys that --set takes: "_horus_keys COMMAND". */
void hs_complete_keys(struct hs_output *out);

#endif
