/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The reference cost of `make bench`: parsing a CSV file and using nothing of it. read(2) in pieces
 * of 64 KiB, libcsv with empty callbacks. Prints the number of bytes.
 *
 *     build/release/tests/bench/bench_parse FILE
 */
#include <csv.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)64 * 1024)

static void on_field(void *text, size_t len, void *ctx)
{
    (void)text;
    (void)len;
    (void)ctx;
}

static void on_row(int end, void *ctx)
{
    (void)end;
    (void)ctx;
}

int main(int argc, char **argv)
{
    static char piece[PIECE_BYTES];
    struct csv_parser parser;
    size_t bytes = 0;
    ssize_t got;

    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0) {
        (void)fprintf(stderr, "usage: bench_parse FILE\n");
        return 2;
    }
    if (csv_init(&parser, CSV_STRICT | CSV_APPEND_NULL) != 0)
        return 5;
    while ((got = read(fd, piece, sizeof piece)) > 0) {
        bytes += (size_t)got;
        if (csv_parse(&parser, piece, (size_t)got, on_field, on_row, NULL) != (size_t)got)
            return 3;
    }
    if (got < 0 || csv_fini(&parser, on_field, on_row, NULL) != 0)
        return 4;
    csv_free(&parser);
    (void)close(fd);
    return printf("%zu bytes\n", bytes) < 0;
}
