/* Counts the calls that change files below one folder, and fails or kills at a chosen one.

   Loaded with LD_PRELOAD, so that it sees Python and the libraries in other languages alike. What to
   do stands in a page of memory that all processes of a test share; see faults.py for its layout. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { QUIET = 0, KILL = 1, FAIL = 2 };

struct page {
    long long count;  /* calls so far */
    long long at;     /* the call at which something happens */
    long long action; /* QUIET, KILL, FAIL */
    long long number; /* errno to fail with, from that call on */
    long long group;  /* the process group that is meant */
    long long failed; /* calls that were made to fail */
    char last[512];   /* the call that was killed, or failed first */
    char root[1024];  /* the folder, with a slash at its end */
};

static struct page *page;

__attribute__((constructor)) static void open_page(void) {
    const char *path = getenv("CRASH_PAGE");
    if (!path) return;
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int fd = real_open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *found = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (found != MAP_FAILED) page = found;
}

static const char *below(const char *path) {
    size_t length = strlen(page->root);
    return length && !strncmp(path, page->root, length) ? path + length : NULL;
}

/* Returns 0 to go on, else the errno to fail with; does not return where the group is killed. */
static int reached(const char *call, const char *path, int (*half)(void *), void *rest) {
    if (!page || !page->group || page->group != getpgrp() || !path) return 0;
    const char *name = below(path);
    if (!name) return 0;
    long long now = __atomic_add_fetch(&page->count, 1, __ATOMIC_SEQ_CST);
    if (page->action == KILL && now == page->at) {
        if (half) half(rest);
        snprintf(page->last, sizeof page->last, "%s %s", call, name);
        kill(0, SIGKILL);
        for (;;) pause();
    }
    if (page->action == FAIL && now >= page->at) {
        if (__atomic_fetch_add(&page->failed, 1, __ATOMIC_SEQ_CST) == 0)
            snprintf(page->last, sizeof page->last, "%s %s", call, name);
        return (int)page->number;
    }
    return 0;
}

static const char *of_fd(int fd, char *buffer) {
    if (!page || !page->group) return NULL;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, buffer, PATH_MAX - 1);
    if (size <= 0) return NULL;
    buffer[size] = 0;
    return buffer;
}

static const char *at_fd(int folder, const char *path, char *buffer) {
    if (!page || !page->group || path[0] == '/' || folder == AT_FDCWD) return path;
    if (!of_fd(folder, buffer)) return NULL;
    size_t length = strlen(buffer);
    snprintf(buffer + length, PATH_MAX - length, "/%s", path);
    return buffer;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)
#define CHECK(call, path) do { int bad = reached(call, path, NULL, NULL); \
    if (bad) { errno = bad; return -1; } } while (0)

static int writes(int flags) { return flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC); }

#define OPEN(name) \
int name(const char *path, int flags, ...) { \
    REAL(name); mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); \
        mode = va_arg(rest, mode_t); va_end(rest); } \
    if (writes(flags)) CHECK("open", path); \
    return real(path, flags, mode); \
}
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
int name(int folder, const char *path, int flags, ...) { \
    REAL(name); mode_t mode = 0; char buffer[PATH_MAX]; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); \
        mode = va_arg(rest, mode_t); va_end(rest); } \
    if (writes(flags)) CHECK("open", at_fd(folder, path, buffer)); \
    return real(folder, path, flags, mode); \
}
OPENAT(openat)
OPENAT(openat64)

int rename(const char *from, const char *to) { REAL(rename); CHECK("rename", to); return real(from, to); }
int renameat(int a, const char *from, int b, const char *to) {
    REAL(renameat); char buffer[PATH_MAX]; CHECK("rename", at_fd(b, to, buffer));
    return real(a, from, b, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    REAL(renameat2); char buffer[PATH_MAX]; CHECK("rename", at_fd(b, to, buffer));
    return real(a, from, b, to, flags);
}
int link(const char *from, const char *to) { REAL(link); CHECK("link", to); return real(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(linkat); char buffer[PATH_MAX]; CHECK("link", at_fd(b, to, buffer));
    return real(a, from, b, to, flags);
}
int mkdir(const char *path, mode_t mode) { REAL(mkdir); CHECK("mkdir", path); return real(path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(mkdirat); char buffer[PATH_MAX]; CHECK("mkdir", at_fd(folder, path, buffer));
    return real(folder, path, mode);
}

/* Removing needs no space, so a full disk does not refuse it; a read-only one does. */
static int frees(void) { return page && page->action == FAIL && page->number == ENOSPC; }
#define REMOVE(call, path) do { if (!frees()) CHECK(call, path); } while (0)

int unlink(const char *path) { REAL(unlink); REMOVE("unlink", path); return real(path); }
int unlinkat(int folder, const char *path, int flags) {
    REAL(unlinkat); char buffer[PATH_MAX]; REMOVE("unlink", at_fd(folder, path, buffer));
    return real(folder, path, flags);
}
int rmdir(const char *path) { REAL(rmdir); REMOVE("rmdir", path); return real(path); }
int fsync(int fd) { REAL(fsync); char buffer[PATH_MAX]; CHECK("fsync", of_fd(fd, buffer)); return real(fd); }
int fdatasync(int fd) {
    REAL(fdatasync); char buffer[PATH_MAX]; CHECK("fsync", of_fd(fd, buffer)); return real(fd);
}
int ftruncate(int fd, off_t size) {
    REAL(ftruncate); char buffer[PATH_MAX]; CHECK("truncate", of_fd(fd, buffer));
    return real(fd, size);
}
int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64); char buffer[PATH_MAX]; CHECK("truncate", of_fd(fd, buffer));
    return real(fd, size);
}

/* A write is cut in the middle. */
struct part { int fd; const void *data; size_t size; };
static int first_half(void *rest) {
    struct part *part = rest;
    REAL(write);
    return part->size > 1 ? (int)real(part->fd, part->data, part->size / 2) : 0;
}
ssize_t write(int fd, const void *data, size_t size) {
    REAL(write); char buffer[PATH_MAX]; struct part part = {fd, data, size};
    int bad = reached("write", of_fd(fd, buffer), first_half, &part);
    if (bad) { errno = bad; return -1; }
    return real(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t place) {
    REAL(pwrite); char buffer[PATH_MAX]; CHECK("write", of_fd(fd, buffer));
    return real(fd, data, size, place);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t place) {
    REAL(pwrite64); char buffer[PATH_MAX]; CHECK("write", of_fd(fd, buffer));
    return real(fd, data, size, place);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    REAL(writev); char buffer[PATH_MAX]; CHECK("write", of_fd(fd, buffer));
    return real(fd, parts, count);
}
