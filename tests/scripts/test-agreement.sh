#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Help, manual pages, Markdown, completion of both shells and JSON Schema name the same commands,
# options, policies, parameters, defaults and choices as the tables (help --form=json, policies
# --json). Each form is read back into facts, one a line, "option run --check", which are compared with
# those of the tables. Tables with one additional fact, and with one changed fact, show that the comparison
# can fail.
# In READMEs, the lines between "<!-- horus WORDS -->" and "<!-- end -->" are the output of that
# command; --bless writes them.
subject=agreement
# shellcheck source=tests/support/scripted.sh
. "$(dirname "$0")/../support/scripted.sh"

export COLUMNS=1000

# ---- the tables ----

facts_of_tables() { # VERBS.json POLICIES.json
    jq -r '.[] | .name as $verb | "verb \($verb)", (.options[] |
        "option \($verb) --\(.long)",
        (select(.letter) | "letter \($verb) -\(.letter)"),
        (select(.type != "flag" and .default) |
            "default \($verb) --\(.long) \(if .default == "" then "none" else .default end)"),
        (select(.type == "choice") |
            "choice \($verb) --\(.long) \(.values)", "offer \($verb) --\(.long) \(.values)"),
        (select(.words and .unit != "LIST") | "offer \($verb) --\(.long) \(.words | join("|"))"))' "$1"
    jq -r '.[] | select(any(.options[]; .long == "set")) | .name as $verb | .options[] |
        select(.is_key_of_config) | "setting \($verb) \(.key)"' "$1"
    jq -r '.[] | select(.takes_config) | .name as $verb | .options[] | select(.is_key_of_config) |
        "key \($verb) \(.key)",
        (select(.type != "flag" and .default and .default != "") |
            "keydefault \($verb) \(.key) \(.default)"),
        (select(.type == "choice") | "keychoice \($verb) \(.key) \(.values)")' "$1"
    jq -r 'def words(a; b): (if (a | length) > 0 then a | join(", ") else "nothing" end) +
            (if (b | length) > 0 then " (some parameters: \(b | join(", ")))" else "" end);
        .[] | .name as $policy | "policy \($policy)",
        "knows \($policy) \(words(.knows; .knows_with_some_parameters))",
        "may \($policy) \(words(.may; .may_with_some_parameters))",
        (.parameters[] | "param \($policy) \(.key)",
            "pdefault \($policy) \(.key) \(if .default == null or .default == "" then "none" else
                .default end)",
            (select(.type == "choice") | "pchoice \($policy) \(.key) \(.values)"))' "$2"
}

# ---- each form ----

verbs() { jq -r '.[].name' "$work/verbs.json"; }
configured() { jq -r '.[] | select(.takes_config) | .name' "$work/verbs.json"; }
policies() { jq -r '.[].name' "$work/policies.json"; }

facts_of_text() {
    "$HORUS" help | sed -nE 's/^  ([a-z]+) .*/verb \1/p' | grep -v '^verb horus$'
    verbs | while read -r verb; do
        "$HORUS" help "$verb" | awk -v verb="$verb" '
            function flush() {
                if (long == "") return
                print "option " verb " " long
                if (letter != "") print "letter " verb " " letter
                if (metavar ~ /^[a-z0-9_]+(\|[a-z0-9_]+)+$/ ) print "choice " verb " " long " " metavar
                if (match(text, / \[[^]]*\](;.*)?$/)) {
                    preset = substr(text, RSTART + 2)
                    sub(/\](;.*)?$/, "", preset)
                    print "default " verb " " long " " preset
                }
                long = letter = text = ""
            }
            /^  (-[a-zA-Z], |    )--/ {
                flush()
                letter = substr($0, 3, 1) == "-" ? substr($0, 3, 2) : ""
                word = letter != "" ? $2 : $1
                long = metavar = word
                sub(/=.*/, "", long)
                sub(/^[^=]*=?/, "", metavar)
                text = $0
                next
            }
            /^ / { text = text " " $0; next }
            { flush() }
            END { flush() }'
    done
    policies | while read -r policy; do
        echo "policy $policy"
        "$HORUS" policies "$policy" | awk -v policy="$policy" '
            /^knows: / || /^may: / {
                kind = $1
                sub(/:/, "", kind)
                sub(/^[a-z]*: /, "")
                print kind " " policy " " $0
            }
            /^  [a-z]/ {
                preset = $0
                sub(/.*\[/, "", preset)
                sub(/\]$/, "", preset)
                print "param " policy " " $1
                print "pdefault " policy " " $1 " " (preset == "-" ? "none" : preset)
                if ($2 ~ /\|/ && $2 != "yes|no") print "pchoice " policy " " $1 " " $2
            }'
    done
}

facts_of_man() {
    "$HORUS" help --form=man | sed -nE 's/^\t.* See \*horus-([a-z]+)\*\(1\)\.$/verb \1/p'
    verbs | while read -r verb; do
        "$HORUS" help "$verb" --form=man | sed '1,/^# OPTIONS/d; /^# EXIT/,$d' |
            sed 's/\\\(.\)/\1/g' | awk -v verb="$verb" '
            /^\*-/ && !/--help/ {
                long = metavar = $0
                sub(/.*\*--/, "--", long)
                sub(/\*.*/, "", long)
                print "option " verb " " long
                if ($0 ~ /^\*-[a-zA-Z]\*/) print "letter " verb " " substr($0, 2, 2)
                if (sub(/.*=_/, "", metavar) && sub(/_$/, "", metavar) &&
                    metavar ~ /^[a-z0-9_]+(\|[a-z0-9_]+)+$/)
                    print "choice " verb " " long " " metavar
            }
            /^\t/ && match($0, / Default: \*[^*]*\*\./) && long != "" {
                print "default " verb " " long " " substr($0, RSTART + 11, RLENGTH - 13)
            }
            /^$/ { long = "" }'
    done
    "$HORUS" policies --man | sed '1,/^# DESCRIPTION/d; /^# SEE/,$d' | sed 's/\\\(.\)/\1/g' | awk '
        /^# / { policy = $2; print "policy " policy }
        /^Knows: / && policy != "" {
            knows = may = $0
            sub(/^Knows: /, "", knows)
            sub(/\. May: .*/, "", knows)
            sub(/.*\. May: /, "", may)
            sub(/\.( Source: .*)?$/, "", may)
            print "knows " policy " " knows
            print "may " policy " " may
        }
        /^\*[a-z_]+\*=_/ {
            split($0, part, "*")
            key = part[2]
            values = $1
            sub(/^[^=]*=_/, "", values)
            sub(/_$/, "", values)
            print "param " policy " " key
            if (values ~ /\|/ && values != "yes|no") print "pchoice " policy " " key " " values
        }
        /^\t/ && match($0, / Default: \*[^*]*\*\./) {
            print "pdefault " policy " " key " " substr($0, RSTART + 11, RLENGTH - 13)
        }'
}

facts_of_markdown() {
    "$HORUS" help --form=markdown | sed -nE 's/^\| `horus ([a-z]+).*/verb \1/p'
    verbs | while read -r verb; do
        "$HORUS" help "$verb" --form=markdown | sed 's/\\|/\x01/g' |
            awk -F ' [|] ' -v verb="$verb" '
            /^\| `/ {
                name = $1
                gsub(/^\| `|`$/, "", name)
                long = metavar = name
                sub(/.*--/, "--", long)
                sub(/=.*/, "", long)
                print "option " verb " " long
                if (name ~ /^-[a-zA-Z],/) print "letter " verb " " substr(name, 1, 2)
                if (sub(/[^=]*=/, "", metavar) && metavar ~ /^[a-z0-9_]+(\001[a-z0-9_]+)+$/) {
                    gsub(/\001/, "|", metavar)
                    print "choice " verb " " long " " metavar
                }
                if (gsub(/`/, "", $2)) print "default " verb " " long " " $2
            }'
    done
    "$HORUS" policies --markdown | awk -F ' [|] ' '/^\| `/ {
        gsub(/[|` ]/, "", $1)
        print "policy " $1
        print "knows " $1 " " $3
        print "may " $1 " " $4
        sub(/ \|$/, "", $5)
        n = split($5, keys, ", ")
        for (i = 1; i <= n; i++) { gsub(/`/, "", keys[i]); print "param " $1 " " keys[i] }
    }'
}

facts_of_bash() {
    # shellcheck disable=SC2016
    "$HORUS" help --form=bash >"$work/horus.bash"
    bash -c '
        source "$0"
        for verb in $_horus_commands; do
            echo "verb $verb"
            for option in $(_horus_options "$verb"); do
                option=${option%=}
                [ "$option" = --help ] || echo "option $verb $option"
                words=$(_horus_value "$verb" "$option")
                case $words in *@* | "") ;; *" "*) echo "offer $verb $option ${words// /|}" ;; esac
            done
            for key in $(_horus_keys "$verb"); do echo "setting $verb $key"; done
        done
        for policy in $_horus_policies; do
            echo "policy $policy"
            for key in $(_horus_params "$policy"); do
                echo "param $policy $key"
                words=$(_horus_choices "$policy" "$key")
                case $words in @* | "yes no" | "") ;; *) echo "pchoice $policy $key ${words// /|}" ;; esac
            done
        done' "$work/horus.bash"
}

facts_of_zsh() {
    "$HORUS" help --form=zsh >"$work/_horus"
    sed -n "s/^_horus_commands='\(.*\)'/\1/p" "$work/_horus" | tr ' ' '\n' | sed 's/^/verb /'
    awk '
        /^_horus_command_[a-z]+\(\)/ { verb = $1; sub(/_horus_command_/, "", verb); sub(/\(\)/, "", verb) }
        /^}/ { verb = "" }
        verb != "" && /^        / && !/--help/ && match($0, /--[a-z-]+/) {
            long = substr($0, RSTART, RLENGTH)
            print "option " verb " " long
            if (match($0, /\{-[a-zA-Z]/)) print "letter " verb " " substr($0, RSTART + 1, 2)
            words = $0
            if (sub(/.*_horus_value /, "", words)) {
                sub(/\x27.*/, "", words)
                if (words !~ /@/ && words ~ / /) {
                    gsub(/ /, "|", words)
                    print "offer " verb " " long " " words
                }
            }
        }' "$work/_horus"
    sed -n "s/^_horus_policies='\(.*\)'/\1/p" "$work/_horus" | tr ' ' '\n' | sed 's/^/policy /'
}

facts_of_schema() {
    configured | while read -r verb; do
        "$HORUS" schema "$verb" | jq -r --arg verb "$verb" '
            .properties | to_entries[] | select(.key != "$schema") |
            "key \($verb) \(.key)",
            (select(.value.default != null and (.value.default | type) != "boolean") |
                "keydefault \($verb) \(.key) \(.value.default)"),
            (select(.value.enum and .value.enum[0] != true) |
                "keychoice \($verb) \(.key) \(.value.enum | join("|"))")'
    done
    "$HORUS" schema run | jq -r '.["$defs"] | to_entries[] | select(.key != "policy") |
        .value.anyOf[1].properties | .name.const as $policy | "policy \($policy)",
        (to_entries[] | select(.key != "name") | "param \($policy) \(.key)",
            (select(.value.enum and .value.enum[0] != true) |
                "pchoice \($policy) \(.key) \(.value.enum | join("|"))"))'
}

# The facts of a form; a default of 0.50 in the table equals 0.5 in JSON.
kinds_of() {
    case $1 in
    text | man) echo 'verb|option|letter|default|choice|policy|knows|may|param|pdefault|pchoice' ;;
    markdown) echo 'verb|option|letter|default|choice|policy|knows|may|param' ;;
    bash) echo 'verb|option|offer|setting|policy|param|pchoice' ;;
    zsh) echo 'verb|option|letter|offer|policy' ;;
    schema) echo 'key|keydefault|keychoice|policy|param|pchoice' ;;
    esac
}

disagree() { # FORM VERBS.json POLICIES.json: the facts that only one side has
    facts_of_tables "$2" "$3" | grep -E "^($(kinds_of "$1")) " | sort -u >"$work/expected"
    diff "$work/expected" "$work/$1.facts" | sed -n 's/^</only the tables:/p; s/^>/only it says:/p'
}

"$HORUS" help --form=json >"$work/verbs.json"
"$HORUS" policies --json >"$work/policies.json"
forms='text man markdown bash zsh schema'
for form in $forms; do
    "facts_of_$form" | sort -u >"$work/$form.facts"
    verdict "$form says what the tables say, $(wc -l <"$work/$form.facts") facts" \
        "$(disagree "$form" "$work/verbs.json" "$work/policies.json" | head -20)"
done

# ---- it can fail: tables with one thing changed, and the forms that must notice ----
notices() { # WHAT FORMS JQ-OF-VERBS JQ-OF-POLICIES
    local form missed=
    jq "$3" "$work/verbs.json" >"$work/verbs.mutant"
    jq "$4" "$work/policies.json" >"$work/policies.mutant"
    for form in $2; do
        [ -n "$(disagree "$form" "$work/verbs.mutant" "$work/policies.mutant")" ] ||
            missed="$missed $form"
    done
    verdict "$1 in the tables alone is noticed" "${missed:+not by$missed}"
}
run='(.[] | select(.name == "run").options)'
notices "an option" "$forms" \
    "$run += [{long: \"nosuch\", key: \"nosuch\", type: \"flag\", is_key_of_config: true}]" .
notices "a choice" "$forms" \
    "(${run}[] | select(.key == \"check\").values) += \"|more\"" .
notices "a default" "text man markdown schema" \
    "(${run}[] | select(.key == \"check\").default) = \"full\"" .
notices "a letter" "text man markdown zsh" "(${run}[] | select(.key == \"seed\").letter) = \"s\"" .
notices "a command" "text man markdown bash zsh" '. += [{name: "nosuch", options: []}]' .
notices "a policy" "$forms" . 'map(select(.name != "fifo"))'
notices "a parameter" "text man markdown bash schema" . '.[0].parameters |= .[1:]'
notices "what a policy knows" "text man markdown" . '.[0].knows = ["model"]'

# ---- READMEs ----
blocks() { # FILE: as it should be
    local line words
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
        '<!-- horus '*' -->')
            words=${line#<!-- horus }
            # shellcheck disable=SC2086
            "$HORUS" ${words% -->}
            while IFS= read -r line && [ "$line" != '<!-- end -->' ]; do :; done
            printf '%s\n' "$line"
            ;;
        esac
    done <"$1"
}
for file in README.md ./*/README.md src/policies/README.md; do
    grep -q '^<!-- horus .* -->$' "$file" || continue
    blocks "$file" >"$work/page"
    [ "${1-}" != --bless ] || cp "$work/page" "$file"
    verdict "$file shows what the program prints" "$(diff "$file" "$work/page" | head -10)"
done
verdict "the READMEs list policies and commands" "$(
    grep -qxF '<!-- horus help --form=markdown -->' README.md || echo "no commands in README.md"
    grep -qxF '<!-- horus policies --markdown -->' src/policies/README.md ||
        echo "no policies in src/policies/README.md"
    policies | while read -r policy; do
        grep -qF "\`$policy\`" README.md || echo "$policy is not in README.md"
    done
)"
exit $failed
