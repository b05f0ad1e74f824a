/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A library for LD_PRELOAD, not linked into any test: it makes one system call fail. See
 * tests/scripts/test-faults.sh.
 *
 *     FAULT_CALL=KIND    which calls: a name of the list below
 *     FAULT_AT=N         the N-th of them in this process and its children, from 1; "all": each,
 *                        or of EINTR every other one
 *     FAULT_ERRNO=ERROR  EIO, ENOSPC, EINTR, ENOMEM; or short: read and write do a part of the work
 *     FAULT_COUNTS=FILE  at the end, how many calls there were: a line "KIND N" each
 *
 * A failed close has closed its file, as on Linux. Calls before main and in the linker do not
 * count.
 */
#define _GNU_SOURCE /* RTLD_NEXT, renameat2 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KINDS(X)                                                                                   \
    X(alloc)                                                                                       \
    X(open)                                                                                        \
    X(read)                                                                                        \
    X(write)                                                                                       \
    X(fsync)                                                                                       \
    X(rename)                                                                                      \
    X(close)                                                                                       \
    X(mkdir)                                                                                       \
    X(unlink)                                                                                      \
    X(stat)                                                                                        \
    X(dir)                                                                                         \
    X(stream)                                                                                      \
    X(fork)                                                                                        \
    X(lock)

enum kind {
#define KIND_ENUM(name) KIND_##name,
    KINDS(KIND_ENUM)
#undef KIND_ENUM
        KIND_COUNT
};
static const char *const names[] = {
#define KIND_NAME(name) #name,
    KINDS(KIND_NAME)
#undef KIND_NAME
};

static _Atomic uint64_t *calls; /* shared with children; NULL: not started */
static enum kind chosen = KIND_COUNT;
static uint64_t at;
static int error;
static bool is_all, is_short;
static pid_t parent;

/* Counts a call; true: it must fail, and errno is set. */
static bool fails(enum kind kind)
{
    if (calls == NULL)
        return false;
    uint64_t n = ++calls[kind];
    if (kind != chosen || is_short)
        return false;
    bool hit = is_all ? error != EINTR || n % 2 == 1 : n == at;
    if (hit)
        errno = error;
    return hit;
}

/* A shorter length if the call must be short. */
static size_t shortened(enum kind kind, size_t len)
{
    bool hit = calls != NULL && is_short && kind == chosen && (is_all || calls[kind] == at);
    return hit && len > 1 ? (len + 1) / 2 : len;
}

__attribute__((constructor)) static void begin(void)
{
    static const struct {
        const char *name;
        int value;
    } errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}, {"ENOMEM", ENOMEM}};
    const char *kind = getenv("FAULT_CALL"), *when = getenv("FAULT_AT"),
               *what = getenv("FAULT_ERRNO");
    for (int k = 0; kind != NULL && k < KIND_COUNT; k++)
        if (strcmp(kind, names[k]) == 0)
            chosen = (enum kind)k;
    is_all = when != NULL && strcmp(when, "all") == 0;
    at = when != NULL && !is_all ? strtoull(when, NULL, 10) : 0;
    is_short = what != NULL && strcmp(what, "short") == 0;
    error = ENOMEM;
    for (size_t i = 0; what != NULL && i < sizeof errors / sizeof *errors; i++)
        if (strcmp(what, errors[i].name) == 0)
            error = errors[i].value;
    parent = getpid();
    void *shared = mmap(NULL, KIND_COUNT * sizeof *calls, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    calls = shared != MAP_FAILED ? shared : NULL;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULT_COUNTS");
    _Atomic uint64_t *seen = calls;
    calls = NULL;
    FILE *file = path != NULL && seen != NULL && getpid() == parent ? fopen(path, "w") : NULL;
    if (file == NULL)
        return;
    for (int k = 0; k < KIND_COUNT; k++)
        (void)fprintf(file, "%s %" PRIu64 "\n", names[k], seen[k]);
    (void)fclose(file);
}

/* ---- memory: the C library's own names need no dlsym, which allocates ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    return fails(KIND_alloc) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    return fails(KIND_alloc) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size)
{
    return fails(KIND_alloc) ? NULL : __libc_realloc(memory, size);
}

/* ---- calls that fail or are passed on ---- */

/* Defines NAME(PARAMETERS) of RESULT, called with ARGUMENTS; its value if it fails. */
#define PASS(kind, result, name, parameters, arguments, failed)                                    \
    result name parameters                                                                         \
    {                                                                                              \
        static result(*next) parameters;                                                           \
        if (next == NULL)                                                                          \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        return fails(KIND_##kind) ? failed : next arguments;                                       \
    }

PASS(fsync, int, fsync, (int fd), (fd), -1)
PASS(fsync, int, fdatasync, (int fd), (fd), -1)
PASS(rename, int, rename, (const char *from, const char *to), (from, to), -1)
PASS(rename, int, renameat2,
     (int from_fd, const char *from, int to_fd, const char *to, unsigned flags),
     (from_fd, from, to_fd, to, flags), -1)
PASS(rename, int, renameat, (int from_fd, const char *from, int to_fd, const char *to),
     (from_fd, from, to_fd, to), -1)
PASS(mkdir, int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
PASS(mkdir, int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode), -1)
PASS(mkdir, char *, mkdtemp, (char *path), (path), NULL)
PASS(unlink, int, unlink, (const char *path), (path), -1)
PASS(unlink, int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), -1)
PASS(unlink, int, rmdir, (const char *path), (path), -1)
PASS(stat, int, stat, (const char *path, struct stat *info), (path, info), -1)
PASS(stat, int, lstat, (const char *path, struct stat *info), (path, info), -1)
PASS(stat, int, fstat, (int fd, struct stat *info), (fd, info), -1)
PASS(stat, int, fstatat, (int fd, const char *path, struct stat *info, int flags),
     (fd, path, info, flags), -1)
PASS(dir, DIR *, opendir, (const char *path), (path), NULL)
PASS(dir, DIR *, fdopendir, (int fd), (fd), NULL)
PASS(dir, struct dirent *, readdir, (DIR * dir), (dir), NULL)
PASS(open, int, mkstemp, (char *path), (path), -1)
PASS(stream, FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
PASS(stream, size_t, fread, (void *to, size_t size, size_t count, FILE *file),
     (to, size, count, file), 0)
PASS(stream, int, fseeko, (FILE * file, off_t offset, int whence), (file, offset, whence), -1)
PASS(fork, pid_t, fork, (void), (), -1)

/* Messages are not under test. */
size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    static size_t (*next)(const void *, size_t, size_t, FILE *);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "fwrite");
    return file != stderr && fails(KIND_stream) ? 0 : next(from, size, count, file);
}

/* The file is closed even on failure. */
int close(int fd)
{
    static int (*next)(int);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "close");
    bool failed = fails(KIND_close);
    int saved = errno, result = next(fd);
    errno = failed ? saved : errno;
    return failed ? -1 : result;
}

static int open_next(const char *path, int flags, mode_t mode)
{
    static int (*next)(const char *, int, ...);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "open");
    return fails(KIND_open) ? -1 : next(path, flags, mode);
}

#define MODE_OF(flags, mode)                                                                       \
    va_list args;                                                                                  \
    va_start(args, flags);                                                                         \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? (mode_t)va_arg(args, int) : 0;          \
    va_end(args)

int open(const char *path, int flags, ...)
{
    MODE_OF(flags, mode);
    return open_next(path, flags, mode);
}
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags) /* of _FORTIFY_SOURCE */
{
    return open_next(path, flags, 0);
}
int openat(int fd, const char *path, int flags, ...)
{
    static int (*next)(int, const char *, int, ...);
    MODE_OF(flags, mode);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "openat");
    return fails(KIND_open) ? -1 : next(fd, path, flags, mode);
}
int fcntl(int fd, int command, ...)
{
    static int (*next)(int, int, ...);
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "fcntl");
    bool is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK;
    return is_lock && fails(KIND_lock) ? -1 : next(fd, command, argument);
}

ssize_t read(int fd, void *to, size_t len)
{
    static ssize_t (*next)(int, void *, size_t);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "read");
    return fails(KIND_read) ? -1 : next(fd, to, shortened(KIND_read, len));
}
ssize_t write(int fd, const void *from, size_t len)
{
    static ssize_t (*next)(int, const void *, size_t);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "write");
    return fails(KIND_write) ? -1 : next(fd, from, shortened(KIND_write, len));
}
