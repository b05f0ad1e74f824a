/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interference models for tests, through the same files as those of the program.
 */
#include "support/interference_fixture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const struct hs_interference_type interference_types[INTERFERENCE_TYPES] = {
    {.gpu = "RTX3090"}, {.gpu = "V100"}, {.gpu = "P100"}, {.gpu = "v-100"}};

const char interference_tables[] =
    "{\"kind\": \"interference\", \"format\": 2,\n"
    " \"forms\": [{\"gpu\": \"RTX3090\", \"mode\": \"timeslice\", \"form\": \"1 + k u^alpha "
    "v^beta\",\n"
    "   \"k\": 1, \"alpha\": 1, \"beta\": 1,\n"
    "   \"holdout\": [{\"protocol\": \"unseen model, own\", \"n\": 9, \"rmse\": 0.08},\n"
    "                 {\"protocol\": \"unseen model, other\", \"n\": 9, \"rmse\": 0.09}]}],\n"
    " \"tables\": [\n"
    "   {\"gpu\": \"V100\", \"mode\": \"timeslice\", \"form\": \"rank-1\",\n"
    "    \"jobs\": [{\"profile\": \"A/d/1/fp32\", \"a\": 0.5, \"b\": 1},\n"
    "              {\"profile\": \"B/d/1/fp32\", \"a\": 2, \"b\": 0.25},\n"
    "              {\"profile\": \"C/d/1/fp32\", \"a\": 100, \"b\": 0}],\n"
    "    \"pairs\": [[0, 1, 2.5], [1, 0, 0.875]],\n"
    "    \"holdout\": [{\"protocol\": \"unseen pair\", \"n\": 9, \"rmse\": 0.058}]},\n"
    "   {\"gpu\": \"RTX 3090\", \"mode\": \"timeslice\", \"form\": \"two-way\", \"lambda\": 1,\n"
    "    \"jobs\": [{\"profile\": \"A/d/1/fp32\", \"util\": 0.5, \"own\": 0.0625,\n"
    "               \"other\": -0.125, \"own_slope\": 0.25, \"other_slope\": -0.5},\n"
    "              {\"profile\": \"b/D/1/FP32\", \"util\": 1, \"own\": 1.5,\n"
    "               \"other\": -1.5, \"own_slope\": 0, \"other_slope\": 0},\n"
    "              {\"profile\": \"C/d/1/fp32\", \"util\": 0.25, \"own\": 0.03125,\n"
    "               \"other\": -0.25, \"own_slope\": -0.25, \"other_slope\": 0.125}]}]}\n";

struct sink interference_sink;
struct hs_catalogue interference_catalogue;

int interference_open(void **state)
{
    static const char profiles[] = "model,dataset,batch,precision,util\n"
                                   "A,d,1,fp32,50\nB,d,1,fp32,100\nC,d,1,fp32,90\nD,d,1,fp32,70\n";
    (void)scratch_open(state);
    sink_init(&interference_sink);
    const char *path = scratch_write("profiles.csv", profiles, sizeof profiles - 1);
    if (hs_catalogue_load(&interference_catalogue, path, &interference_sink.diag) != HS_OK)
        print_error("%s", interference_sink.text);
    return interference_sink.len > 0;
}

int interference_close(void **state)
{
    hs_catalogue_free(&interference_catalogue);
    return scratch_close(state);
}

enum hs_status interference_try(struct hs_interference **m, const char *text,
                                const struct hs_interference_options *options)
{
    const char *path = text != NULL ? scratch_write("model.json", text, strlen(text)) : NULL;
    sink_init(&interference_sink);
    return hs_interference_load(m, path, &interference_catalogue, options, interference_types,
                                INTERFERENCE_TYPES, &interference_sink.diag);
}

struct hs_interference *interference_of_text(const char *text,
                                             const struct hs_interference_options *options)
{
    struct hs_interference *m;
    if (interference_try(&m, text, options) != HS_OK || interference_sink.len > 0)
        fail_msg("%s", interference_sink.text);
    return m;
}

struct hs_interference *interference_of_form(const double *form,
                                             const struct hs_interference_options *options)
{
    char text[256];
    (void)snprintf(text, sizeof text,
                   "{\"kind\": \"interference\", \"format\": 2, \"forms\": [{\"gpu\": \"x\", "
                   "\"mode\": \"timeslice\", "
                   "\"k\": %.17g, \"alpha\": %.17g, \"beta\": %.17g}]}",
                   form[0], form[1], form[2]);
    return interference_of_text(text, options);
}
