/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The card's fields are listed once, in the order of HS_CARD_COLUMNS.
 */
#include "report/card.h"

#include <stddef.h>

#define CARD_FIELDS 18

struct card_field {
    const char *name, *text;
};

/* All but the seed, which is a number and stands third. */
static void card_list(const struct hs_card *card, struct card_field out[CARD_FIELDS])
{
    const struct hs_semantics *s = &card->policy_semantics;
    const struct card_field fields[CARD_FIELDS] = {
        {"workload", card->workload},
        {"cluster", card->cluster},
        {"policy", card->policy},
        {"order", s->order},
        {"scan", s->scan},
        {"placement", s->placement},
        {"preemption", s->preemption},
        {"preempt_cost", s->cost},
        {"gang", card->gang},
        {"ties", card->ties},
        {"locality", card->locality},
        {"vc", card->vc},
        {"interference", card->interference},
        {"knows", card->knows},
        {"can", card->can},
        {"profiles", card->profiles},
        {"predictor", card->predictor},
        {"speeds", card->speeds},
    };
    for (int i = 0; i < CARD_FIELDS; i++)
        out[i] = fields[i];
}

#define SEED_AFTER 2

void hs_card_write_json(const struct hs_card *card, struct hs_jsonw *w)
{
    struct card_field fields[CARD_FIELDS];
    card_list(card, fields);
    hs_jsonw_object(w);
    for (int i = 0; i < CARD_FIELDS; i++) {
        if (i == SEED_AFTER) {
            hs_jsonw_member_u64(w, "seed", card->seed);
        }
        hs_jsonw_key(w, fields[i].name);
        hs_jsonw_text(w, fields[i].text);
    }
    hs_jsonw_end_object(w);
}

void hs_card_write_csv(const struct hs_card *card, struct hs_csvw *w)
{
    struct card_field fields[CARD_FIELDS];
    card_list(card, fields);
    for (int i = 0; i < CARD_FIELDS; i++) {
        if (i == SEED_AFTER)
            hs_csvw_u64(w, card->seed);
        hs_csvw_text(w, fields[i].text);
    }
}
