# SPDX-License-Identifier: GPL-3.0-or-later
#
# The code of Markdown pages, a line each: `block LINE` where a block begins, then `LINE<TAB>TEXT` of
# its lines, without their common indentation; and `inline LINE<TAB>TEXT` of each `horus ...` or
# `make ...` between backquotes. A block is fenced, or indented by four blanks after an empty line (in
# an item of a list by as much more as its text).
function flush(    i, least, blanks) {
    while (n > 0 && text[n] ~ /^ *$/) n--
    least = 1000
    for (i = 1; i <= n; i++) {
        match(text[i], /^ */)
        if (text[i] !~ /^ *$/ && RLENGTH < least) least = RLENGTH
    }
    if (n > 0) print "block " at[1]
    for (i = 1; i <= n; i++) print at[i] "\t" substr(text[i], least + 1)
    n = 0
}

function inline(line,    span) {
    while (match(line, /`(horus|make)( [^`]*)?`/)) {
        span = substr(line, RSTART + 1, RLENGTH - 2)
        print "inline " FNR "\t" span
        line = substr(line, RSTART + RLENGTH)
    }
}

BEGIN { is_empty = 1 }
/^ *```/ {
    flush()
    in_fence = !in_fence
    is_empty = 1
    next
}
in_fence { at[++n] = FNR; text[n] = $0; next }
/^ *$/ {
    if (n > 0) { at[++n] = FNR; text[n] = "" }
    is_empty = 1
    next
}
{
    match($0, /^ */)
    indent = RLENGTH
    if (indent >= item + 4 && (n > 0 || is_empty)) { at[++n] = FNR; text[n] = $0; next }
    flush()
    if (match($0, /^ *([0-9]+\.|[-*]) +/)) item = RLENGTH
    else if (indent < item) item = 0
    inline($0)
    is_empty = /^#/ # a heading
}
END { flush() }
