/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a command with its standard output discarded and prints its cost: `WALL_US USER_US CPU_US
 * PEAK_RSS_KIB` (CPU: user + system time; the largest resident set). Ends with its exit code, or
 * 128 + the signal that ended it: SIGXCPU at more than SECONDS of CPU time.
 *
 *     build/release/tests/bench/bench_cost [-t SECONDS] COMMAND ARGUMENT...
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long micros(struct timeval t)
{
    return (long long)t.tv_sec * 1000000 + t.tv_usec;
}

static long long now_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void become(char **command, rlim_t limit_s)
{
    int null = open("/dev/null", O_WRONLY);
    const struct rlimit limit = {.rlim_cur = limit_s, .rlim_max = RLIM_INFINITY};
    if (limit_s > 0 && setrlimit(RLIMIT_CPU, &limit) != 0)
        return;
    if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
        (void)execvp(command[0], command);
}

int main(int argc, char **argv)
{
    bool has_limit = argc > 2 && strcmp(argv[1], "-t") == 0;
    char **command = argv + (has_limit ? 3 : 1);
    if (argc < 2 || *command == NULL) {
        (void)fprintf(stderr, "usage: bench_cost [-t SECONDS] COMMAND ARGUMENT...\n");
        return 2;
    }
    rlim_t limit_s = has_limit ? (rlim_t)strtoul(argv[2], NULL, 10) : 0;
    long long begin_us = now_us();
    pid_t child = fork();
    if (child == 0) {
        become(command, limit_s);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 4;
    long long user_us = micros(usage.ru_utime);
    if (printf("%lld %lld %lld %ld\n", now_us() - begin_us, user_us,
               user_us + micros(usage.ru_stime), usage.ru_maxrss) < 0)
        return 4;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
