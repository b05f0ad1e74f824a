# SPDX-License-Identifier: GPL-3.0-or-later
#
# Reading CSV as RFC 4180 has it, for the scripts that draw: quoted fields may hold commas, doubled
# quotes and line ends. To be loaded before another script: awk -f plot-csv.awk -f THAT.awk.

function csv_fail(why) {
    print "plot: " why > "/dev/stderr"
    csv_failed = 1
    exit 3
}

# A line with quotes into field[1..n]; n.
function csv_split(line,    n, i, body) {
    for (;;) {
        if (substr(line, 1, 1) == "\"") {
            body = ""
            line = substr(line, 2)
            while ((i = index(line, "\"")) && substr(line, i + 1, 1) == "\"") {
                body = body substr(line, 1, i)
                line = substr(line, i + 2)
            }
            body = body substr(line, 1, i - 1)
            line = substr(line, i + 1)
        } else {
            i = index(line, ",")
            body = i ? substr(line, 1, i - 1) : line
            line = i ? substr(line, i) : ""
        }
        field[++n] = body
        if (line == "") return n
        line = substr(line, 2)
    }
}

# The next record of the file into field[1..n]; n, 0 at the end.
function csv_next(file,    line, more, quotes) {
    if ((getline line < file) <= 0) return 0
    sub(/\r$/, "", line)
    if (!index(line, "\"")) return split(line, field, ",")
    quotes = line
    while (gsub(/"/, "", quotes) % 2) {
        if ((getline more < file) <= 0) csv_fail(file ": a quoted field has no end")
        line = line "\n" more
        quotes = line
    }
    sub(/\r$/, "", line)
    return csv_split(line)
}

# Reads the header: at[NAME] is the column of a name. Columns: those that must be there, blank-separated.
function csv_open(file, columns,    n, i) {
    n = csv_next(file)
    if (!n) csv_fail(file ": empty, or not to be read")
    split("", at)
    for (i = 1; i <= n; i++) at[field[i]] = i
    csv_need(file, columns)
}

function csv_need(file, columns,    n, i, names) {
    n = split(columns, names, " ")
    for (i = 1; i <= n; i++)
        if (!(names[i] in at)) csv_fail(file ": no column '" names[i] "'")
}

function of(name) { return field[at[name]] }

# A text as one field of a table with tabs that gnuplot and R read.
function plain(text) {
    gsub(/[\001-\037\177]+/, " ", text)
    gsub(/"/, "'", text)
    return text
}
