/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program: dispatches verbs and converts status to exit code. Standard output is checked until
 * closed, so that a full disk is always reported. The only file not in the tests' library.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

static struct hs_diag *program_diag;

/* Ends the program if memory or a documented limit is exhausted, and removes unfinished output. */
static void end_exhausted(enum hs_status status)
{
    hs_report(program_diag, HS_ERROR, NULL, NULL, "%s", hs_status_text(status));
    hs_beside_abandon();
    exit(hs_status_exit_code(status));
}

static enum hs_status dispatch(struct hs_call *call, int argc, char **argv)
{
    /* command lines are printed and written to files unchanged */
    for (int i = 1; i < argc; i++)
        if (hs_control_find(argv[i], strlen(argv[i])) < strlen(argv[i]))
            return hs_fail(&call->diag, HS_E_USAGE, NULL, "give the file another name",
                           "a control character in '%s'", argv[i]);
    if (argc < 2) {
        hs_help_say(&call->out, NULL, true, call->terminal.columns);
        return hs_fail(&call->diag, HS_E_USAGE, NULL, NULL, "a command or a trace is missing");
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        hs_help_say(&call->out, NULL, true, call->terminal.columns);
        return HS_OK;
    }
    if (strcmp(word, "--version") == 0 || (strcmp(word, "-v") == 0 && argc == 2)) {
        hs_version_say(&call->out, false);
        return HS_OK;
    }
    bool is_trace =
        hs_verb_find(word) == NULL &&
        (*word == '-' || strncmp(word, HS_INPUT_GENERATED, strlen(HS_INPUT_GENERATED)) == 0 ||
         strpbrk(word, "./") != NULL || access(word, F_OK) == 0);
    call->verb = &hs_verb_run;
    if (!is_trace)
        HS_TRY(hs_verb_get(word, &call->verb, &call->diag));
    enum hs_help_request help;
    HS_TRY(hs_options_parse(call, argc - !is_trace, argv + !is_trace, &help));
    if (help == HS_HELP_NONE)
        return call->verb->run(call);
    hs_help_say(&call->out, call->verb, help == HS_HELP_ALL, call->terminal.columns);
    return HS_OK;
}

int main(int argc, char **argv)
{
    struct hs_call call = {.command = (const char *const *)argv};
    /* The next file opened would get the number of a closed stream, and messages would be written
     * to results. 0 is opened for writing, 1 and 2 for reading, so that their use fails. */
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    hs_interrupt_init();
    hs_terminal_init(&call.terminal);
    hs_diag_init(&call.diag, hs_terminal_emit, &call.terminal);
    program_diag = &call.diag;
    hs_on_fatal(end_exhausted);
    enum hs_status status = hs_output_open(&call.out, "-", &call.diag);
    if (status == HS_OK) {
        status = dispatch(&call, argc, argv);
        if (status != HS_OK && call.diag.errors == 0)
            hs_report(&call.diag, HS_ERROR, NULL, NULL, "%s", hs_status_text(status));
        hs_terminal_status(&call.terminal, "");
        enum hs_status closed = hs_output_close(&call.out, &call.diag);
        if (closed == HS_OK && close(STDOUT_FILENO) != 0)
            closed = hs_fail(&call.diag, HS_E_IO, NULL, NULL, "cannot close <stdout>: %s",
                             strerror(errno));
        status = status != HS_OK ? status : closed;
        hs_arena_free(&call.arena);
    }
    if (status == HS_E_INTERRUPTED)
        return 128 + hs_interrupt_signal();
    return hs_status_exit_code(status);
}
