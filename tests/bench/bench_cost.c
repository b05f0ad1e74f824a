/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a command with its standard output thrown away and prints what it cost:
 * `CPU_US PEAK_RSS_KIB` (user + system time, largest resident set). Ends with its exit code.
 *
 *     build/release/tests/bench/bench_cost COMMAND ARGUMENT...
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static long long micros(struct timeval t)
{
    return (long long)t.tv_sec * 1000000 + t.tv_usec;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_cost COMMAND ARGUMENT...\n");
        return 2;
    }
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
            (void)execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 4;
    if (printf("%lld %ld\n", micros(usage.ru_utime) + micros(usage.ru_stime), usage.ru_maxrss) < 0)
        return 4;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
