/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the streams can show is asked once at the start. Colour and block characters are for
 * terminals alone, so that redirected output has the same bytes in every environment.
 */
#include "cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/timeparse.h"

#define COLUMNS_PRESET 100u /* of a stream that is no terminal */
#define COLUMNS_MIN    40u
#define COLUMNS_MAX    1000u

/* The first of the three variables that is set decides (POSIX 8.2). */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value == NULL || *value == '\0')
            continue;
        const char *codeset = strchr(value, '.');
        return codeset != NULL &&
               (strncasecmp(codeset, ".utf-8", 6) == 0 || strncasecmp(codeset, ".utf8", 5) == 0);
    }
    return false;
}

/* What COLUMNS asks for; 0 if nothing. */
static uint32_t wanted_columns(void)
{
    const char *text = getenv("COLUMNS");
    int64_t wanted = 0;
    if (text == NULL || !hs_parse_int64(text, strlen(text), &wanted) || wanted <= 0)
        return 0;
    if (wanted < (int64_t)COLUMNS_MIN)
        return COLUMNS_MIN;
    return wanted > (int64_t)COLUMNS_MAX ? COLUMNS_MAX : (uint32_t)wanted;
}

static uint32_t columns_of(int fd)
{
    struct winsize size;
    uint32_t wanted = wanted_columns();
    if (wanted > 0)
        return wanted;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN)
        return size.ws_col;
    return COLUMNS_PRESET;
}

void hs_terminal_init(struct hs_terminal *terminal)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    bool is_dumb = term == NULL || *term == '\0' || strcmp(term, "dumb") == 0;

    memset(terminal, 0, sizeof *terminal);
    terminal->out_is_tty = isatty(STDOUT_FILENO) == 1;
    terminal->err_is_tty = isatty(STDERR_FILENO) == 1 && !is_dumb;
    terminal->use_color =
        terminal->out_is_tty && !is_dumb && (no_color == NULL || *no_color == '\0');
    terminal->use_utf8 = terminal->out_is_tty && !is_dumb && locale_is_utf8();
    terminal->err_use_utf8 = terminal->err_is_tty && locale_is_utf8();
    terminal->columns = columns_of(STDOUT_FILENO);
    terminal->has_fixed_width = wanted_columns() > 0;
    terminal->err_columns = terminal->columns;
    hs_terminal_measure(terminal);
}

void hs_terminal_measure(struct hs_terminal *terminal)
{
    struct winsize size;
    if (terminal->err_is_tty && !terminal->has_fixed_width &&
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        terminal->err_columns = size.ws_col;
}

void hs_terminal_emit(void *ctx, enum hs_severity severity, const char *text, size_t len)
{
    struct hs_terminal *terminal = ctx;
    (void)severity;
    hs_terminal_status(terminal, "");
    (void)fwrite(text, 1, len, stderr);
    if (len == 0 || text[len - 1] != '\n')
        (void)fputc('\n', stderr);
    (void)fflush(stderr);
}

/* Bytes of the first characters of a line. */
static int shown_bytes(const char *line, uint32_t characters)
{
    int len = 0;
    for (; line[len] != '\0'; len++)
        if (((unsigned char)line[len] & 0xC0u) != 0x80u && characters-- == 0)
            break;
    return len;
}

void hs_terminal_status(struct hs_terminal *terminal, const char *line)
{
    if (*line == '\0' && !terminal->has_status_line)
        return;
    hs_terminal_measure(terminal);
    if (terminal->err_is_tty) /* one column less: the last one would make some terminals wrap */
        (void)fprintf(stderr, "\r\033[K%.*s", shown_bytes(line, terminal->err_columns - 1), line);
    else if (*line != '\0')
        (void)fprintf(stderr, "%s\n", line);
    (void)fflush(stderr);
    terminal->has_status_line = terminal->err_is_tty && *line != '\0';
}

void hs_say_wrapped(struct hs_output *out, const char *text, uint32_t indent, uint32_t columns)
{
    size_t width = columns > indent + 20 ? columns - indent : 20;
    while (strlen(text) > width) {
        size_t cut = width;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0)
            cut = width;
        hs_say(out, "%.*s\n%*s", (int)cut, text, (int)indent, "");
        text += cut;
        while (*text == ' ')
            text++;
    }
    hs_say(out, "%s\n", text);
}
