/* Makes a folder of Linux refuse what Windows refuses.

   Loaded with LD_PRELOAD, so that it sees Python and the libraries in other languages alike. Below
   the folders of WINDOWS_ROOT (split by colons):

   - a file that is open or mapped anywhere is not removed, moved, replaced or emptied, and no
     folder is moved in which one lies (ERROR_SHARING_VIOLATION). Python and C open files so; Rust
     opens them with FILE_SHARE_DELETE, which lets them be removed and moved, and lets Rust put
     another in their place;
   - a file that may only be read is not removed or replaced;
   - no folder takes the place of another, not even of an empty one;
   - names of devices, signs that no name may hold, a dot or space at the end are refused;
   - a path of 260 characters or more is refused unless Rust asks for it, which names it in the long
     form; folders above WINDOWS_ROOT count as WINDOWS_PREFIX characters;
   - A.txt and a.txt are one file.

   Who has a file open is told by a lock of the open file itself on a byte far behind its end, which
   goes with the last handle or map, however the process ends. WINDOWS_LOG names a file for a
   line about every refusal, with the place in Python. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

enum { MAX_PATH = 260, ROOTS = 8 };
static const off_t KEPT = (off_t)1 << 60;   /* open without FILE_SHARE_DELETE */
static const off_t SHARED = (off_t)1 << 61; /* open with it */
static const off_t ROOM = (off_t)1 << 40;

static char roots[ROOTS][PATH_MAX];
static int root_count;
static long prefix = 60;
static const char *log_path;
static locale_t words;
static __thread int looks_away;

/* What this thread does from now on is done as if from outside: nothing is refused. */
void windows_look_away(int away) { looks_away = away; }

#define REAL(name) static __typeof__(name) *real; if (!real) real = dlsym(RTLD_NEXT, #name)
#define CALLER __builtin_return_address(0)

__attribute__((constructor)) static void start(void) {
    const char *given = getenv("WINDOWS_ROOT");
    if (!given) return;
    char all[4 * PATH_MAX];
    snprintf(all, sizeof all, "%s", given);
    words = newlocale(LC_CTYPE_MASK, "C.UTF-8", 0);
    char *rest = NULL;
    for (char *one = strtok_r(all, ":", &rest); one && root_count < ROOTS; one = strtok_r(NULL, ":", &rest))
        snprintf(roots[root_count++], PATH_MAX, "%s/", one);
    if (getenv("WINDOWS_PREFIX")) prefix = atol(getenv("WINDOWS_PREFIX"));
    log_path = getenv("WINDOWS_LOG");
}

/* ---- who asks ---- */

static int is_rust(void *caller) {
    static const char *libraries[] = {"lance", "obstore", "tokenizers", "safetensors", NULL};
    Dl_info found;
    if (!dladdr(caller, &found) || !found.dli_fname) return 0;
    for (const char **name = libraries; *name; name++)
        if (strstr(found.dli_fname, *name)) return 1;
    return 0;
}

static int refuse(int number, const char *call, const char *path, const char *reason) {
    if (log_path) {
        int fd = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (fd >= 0) {
            dprintf(fd, "%d %s %s: %s\n", getpid(), call, path, reason);
            void *(*thread)(void) = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
            void (*dump)(int, void *) = dlsym(RTLD_DEFAULT, "_Py_DumpTraceback");
            void *state = thread ? thread() : NULL;
            if (state && dump) dump(fd, state);
            close(fd);
        }
    }
    errno = number;
    return -1;
}

/* ---- paths ---- */

static size_t above(const char *path) { /* length of the root's name, 0 outside */
    for (int i = 0; i < root_count; i++) {
        size_t length = strlen(roots[i]);
        if (!strncmp(path, roots[i], length) && path[length]) return length;
    }
    return 0;
}

/* Returns the whole path where it lies below a root, else NULL. */
static char *whole(int folder, const char *path, char *buffer) {
    if (!root_count || looks_away || !path || !*path) return NULL;
    if (path[0] == '/') {
        snprintf(buffer, PATH_MAX, "%s", path);
    } else {
        char link[64];
        snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
        ssize_t size = readlink(link, buffer, PATH_MAX - 1);
        if (size <= 0) return NULL;
        snprintf(buffer + size, PATH_MAX - size, "/%s", path);
    }
    size_t size = strlen(buffer);
    while (size > 1 && buffer[size - 1] == '/') buffer[--size] = 0;
    return above(buffer) ? buffer : NULL;
}

static wint_t next_sign(const char **text) {
    mbstate_t state = {0};
    wchar_t sign;
    locale_t before = uselocale(words);
    size_t used = mbrtowc(&sign, *text, MB_LEN_MAX, &state);
    uselocale(before);
    if (used == (size_t)-1 || used == (size_t)-2 || used == 0) return (unsigned char)*(*text)++;
    *text += used;
    return towlower_l(sign, words);
}

static int alike(const char *left, const char *right) {
    while (*left && *right)
        if (next_sign(&left) != next_sign(&right)) return 0;
    return !*left && !*right;
}

static int is_there(const char *path) {
    struct stat found;
    return syscall(SYS_newfstatat, AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Writes the name in place of *name* that its folder has in other letters. */
static void respell(char *path, char *name) {
    DIR *(*list)(const char *) = dlsym(RTLD_NEXT, "opendir");
    char before = name[-1];
    name[-1] = 0;
    DIR *folder = list(path);
    name[-1] = before;
    if (!folder) return;
    size_t length = strlen(name);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strlen(entry->d_name) == length && alike(entry->d_name, name)) {
            memcpy(name, entry->d_name, length);
            break;
        }
    closedir(folder);
}

/* Spells the path as the folders do that are there. */
static void spelled(char *path) {
    if (is_there(path)) return;
    for (char *name = path + above(path); *name;) {
        char *end = strchrnul(name, '/');
        char after = *end;
        *end = 0;
        int found = is_there(path);
        if (!found) respell(path, name);
        found = found || is_there(path);
        *end = after;
        if (!found || !after) return;
        name = end + 1;
    }
}

static size_t characters(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static int is_long(const char *path, void *caller) {
    return prefix + characters(path + above(path)) >= MAX_PATH && !is_rust(caller);
}

static const char *bad_name(const char *path) {
    static const char *devices[] = {"CON", "PRN", "AUX", "NUL", "COM", "LPT", NULL};
    const char *name = strrchr(path, '/') + 1;
    size_t size = strlen(name), stem = strcspn(name, ".");
    while (stem && name[stem - 1] == ' ') stem--;
    for (const char *sign = name; *sign; sign++)
        if (strchr("<>:\"\\|?*", *sign) || (unsigned char)*sign < 32) return "a sign no name may hold";
    if (size && (name[size - 1] == '.' || name[size - 1] == ' ')) return "a dot or space at the end";
    for (const char **device = devices; *device; device++) {
        if (strncasecmp(name, *device, 3)) continue;
        int numbered = **device == 'L' || !strcmp(*device, "COM");
        if (numbered ? stem == 4 && name[3] >= '1' && name[3] <= '9' : stem == 3) return "the name of a device";
    }
    return NULL;
}

/* ---- who has it open ---- */

static void keep(int fd, int flags, void *caller) {
    struct stat found;
    if (fd < 0 || (flags & O_PATH) || fstat(fd, &found) || !S_ISREG(found.st_mode)) return;
    static __thread unsigned short seed[3];
    if (!seed[0]) { seed[0] = getpid() | 1; seed[1] = gettid(); seed[2] = (unsigned short)(size_t)&found; }
    struct flock lock = {0};
    lock.l_type = (flags & O_ACCMODE) == O_RDONLY ? F_RDLCK : F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    for (int turn = 0; turn < 8; turn++) {
        lock.l_start = (is_rust(caller) ? SHARED : KEPT) + ((off_t)nrand48(seed) << 9 | (nrand48(seed) & 511));
        if (!fcntl(fd, F_OFD_SETLK, &lock)) return;
    }
}

static int held_from(int fd, off_t start) {
    struct flock lock = {0};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = ROOM;
    return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

static int held(const char *path, int shared_too) {
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return 0;
    int found = held_from(fd, KEPT) || (shared_too && held_from(fd, SHARED));
    close(fd);
    return found;
}

/* Writes the first file below *path* that somebody has open; 0 where there is none. */
static int held_below(char *path) {
    DIR *(*list)(const char *) = dlsym(RTLD_NEXT, "opendir");
    DIR *folder = list(path);
    int found = 0;
    if (!folder) return 0;
    size_t length = strlen(path);
    for (struct dirent *entry; !found && (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
        found = entry->d_type == DT_DIR ? held_below(path) : held(path, 1);
        if (!found) path[length] = 0;
    }
    closedir(folder);
    return found;
}

/* ---- calls ---- */

static int writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

/* Returns -1 where a file may not be opened so; *path* is spelled as it is there. */
static int may_open(char *path, int flags, void *caller) {
    if (is_long(path, caller)) return refuse(ENOENT, "open", path, "the path is too long");
    spelled(path);
    struct stat found;
    if (!syscall(SYS_newfstatat, AT_FDCWD, path, &found, 0)) {
        if (S_ISREG(found.st_mode) && writes(flags) && !(found.st_mode & S_IWUSR))
            return refuse(EACCES, "open", path, "it may only be read");
        if ((flags & O_TRUNC) && S_ISREG(found.st_mode) && held(path, 0) && found.st_size)
            return refuse(EACCES, "empty", path, "somebody has it open");
    } else if (flags & O_CREAT) {
        const char *bad = bad_name(path);
        if (bad) return refuse(EINVAL, "open", path, bad);
    }
    return 0;
}

#define MODE mode_t mode = 0; if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
    va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
#define OPEN(name) \
int name(const char *path, int flags, ...) { \
    REAL(name); MODE; char buffer[PATH_MAX]; \
    char *mine = whole(AT_FDCWD, path, buffer); \
    if (!mine) return real(path, flags, mode); \
    if (may_open(mine, flags, CALLER)) return -1; \
    int fd = real(mine, flags, mode); keep(fd, flags, CALLER); return fd; \
}
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
int name(int folder, const char *path, int flags, ...) { \
    REAL(name); MODE; char buffer[PATH_MAX]; \
    char *mine = whole(folder, path, buffer); \
    if (!mine) return real(folder, path, flags, mode); \
    if (may_open(mine, flags, CALLER)) return -1; \
    int fd = real(AT_FDCWD, mine, flags, mode); keep(fd, flags, CALLER); return fd; \
}
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name) \
FILE *name(const char *path, const char *how) { \
    REAL(name); char buffer[PATH_MAX]; \
    char *mine = whole(AT_FDCWD, path, buffer); \
    if (!mine) return real(path, how); \
    int flags = strchr(how, '+') ? O_RDWR : *how == 'r' ? O_RDONLY : O_WRONLY; \
    if (*how != 'r') flags |= O_CREAT | (*how == 'w' ? O_TRUNC : O_APPEND); \
    if (may_open(mine, flags, CALLER)) return NULL; \
    FILE *file = real(mine, how); if (file) keep(fileno(file), flags, CALLER); return file; \
}
FOPEN(fopen)
FOPEN(fopen64)

static int moved(int from_fd, const char *from, int to_fd, const char *to, unsigned flags, void *caller) {
    char a[PATH_MAX], b[PATH_MAX], look[PATH_MAX];
    char *source = whole(from_fd, from, a), *target = whole(to_fd, to, b);
    if (source) {
        if (is_long(source, caller)) return refuse(ENOENT, "move", source, "the path is too long");
        spelled(source);
    }
    if (target) {
        if (is_long(target, caller)) return refuse(ENOENT, "move to", target, "the path is too long");
        const char *bad = bad_name(target);
        if (bad) return refuse(EINVAL, "move to", target, bad);
        spelled(target);
    }
    struct stat one, other;
    if (source && !syscall(SYS_newfstatat, AT_FDCWD, source, &one, AT_SYMLINK_NOFOLLOW)) {
        snprintf(look, sizeof look, "%s", source);
        if (S_ISREG(one.st_mode) && held(source, 0)) return refuse(EACCES, "move", source, "somebody has it open");
        if (S_ISDIR(one.st_mode) && held_below(look)) return refuse(EACCES, "move", look, "somebody has it open");
        if (target && !syscall(SYS_newfstatat, AT_FDCWD, target, &other, AT_SYMLINK_NOFOLLOW)) {
            if (other.st_ino == one.st_ino && other.st_dev == one.st_dev) {
                target = whole(to_fd, to, b); /* another spelling of the same */
            } else {
                if (S_ISDIR(other.st_mode)) return refuse(EACCES, "replace", target, "it is a folder");
                if (!(other.st_mode & S_IWUSR) && S_ISREG(other.st_mode) && !is_rust(caller))
                    return refuse(EACCES, "replace", target, "it may only be read");
                if (held(target, !is_rust(caller))) return refuse(EACCES, "replace", target, "somebody has it open");
            }
        }
    }
    return syscall(SYS_renameat2, source ? AT_FDCWD : from_fd, source ? source : from,
                   target ? AT_FDCWD : to_fd, target ? target : to, flags);
}
int rename(const char *from, const char *to) { return moved(AT_FDCWD, from, AT_FDCWD, to, 0, CALLER); }
int renameat(int a, const char *from, int b, const char *to) { return moved(a, from, b, to, 0, CALLER); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    return moved(a, from, b, to, flags, CALLER);
}

static int removed(int folder, const char *path, int flags, void *caller) {
    char buffer[PATH_MAX];
    char *mine = whole(folder, path, buffer);
    if (!mine) return syscall(SYS_unlinkat, folder, path, flags);
    if (is_long(mine, caller)) return refuse(ENOENT, "remove", mine, "the path is too long");
    spelled(mine);
    struct stat found;
    if (!(flags & AT_REMOVEDIR) && !syscall(SYS_newfstatat, AT_FDCWD, mine, &found, AT_SYMLINK_NOFOLLOW)
        && S_ISREG(found.st_mode)) {
        if (!(found.st_mode & S_IWUSR) && !is_rust(caller)) return refuse(EACCES, "remove", mine, "it may only be read");
        if (held(mine, 0)) return refuse(EACCES, "remove", mine, "somebody has it open");
    }
    return syscall(SYS_unlinkat, AT_FDCWD, mine, flags);
}
int unlink(const char *path) { return removed(AT_FDCWD, path, 0, CALLER); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR, CALLER); }
int unlinkat(int folder, const char *path, int flags) { return removed(folder, path, flags, CALLER); }

static int made(int folder, const char *path, mode_t mode, void *caller) {
    char buffer[PATH_MAX];
    char *mine = whole(folder, path, buffer);
    if (!mine) return syscall(SYS_mkdirat, folder, path, mode);
    if (is_long(mine, caller)) return refuse(ENOENT, "mkdir", mine, "the path is too long");
    const char *bad = bad_name(mine);
    if (bad) return refuse(EINVAL, "mkdir", mine, bad);
    spelled(mine);
    return syscall(SYS_mkdirat, AT_FDCWD, mine, mode);
}
int mkdir(const char *path, mode_t mode) { return made(AT_FDCWD, path, mode, CALLER); }
int mkdirat(int folder, const char *path, mode_t mode) { return made(folder, path, mode, CALLER); }

int link(const char *from, const char *to) {
    char a[PATH_MAX], b[PATH_MAX];
    char *source = whole(AT_FDCWD, from, a), *target = whole(AT_FDCWD, to, b);
    if (source) spelled(source);
    if (target) {
        const char *bad = bad_name(target);
        if (bad) return refuse(EINVAL, "link", target, bad);
        if (is_long(target, CALLER)) return refuse(ENOENT, "link", target, "the path is too long");
        spelled(target);
    }
    return syscall(SYS_linkat, AT_FDCWD, source ? source : from, AT_FDCWD, target ? target : to, 0);
}

/* What only looks: in any spelling. A path that is too long is not there. */
static const char *looked(int folder, const char *path, char *buffer, void *caller) {
    char *mine = whole(folder, path, buffer);
    if (!mine) return path;
    if (is_long(mine, caller)) return NULL;
    spelled(mine);
    return mine;
}
#define LOOK(failed) char buffer[PATH_MAX]; const char *mine = looked(AT_FDCWD, path, buffer, CALLER); \
    if (!mine) { errno = ENOENT; return failed; }
#define LOOK_AT char buffer[PATH_MAX]; const char *mine = looked(folder, path, buffer, CALLER); \
    if (!mine) { errno = ENOENT; return -1; }

int stat(const char *path, struct stat *to) { REAL(stat); LOOK(-1) return real(mine, to); }
int lstat(const char *path, struct stat *to) { REAL(lstat); LOOK(-1) return real(mine, to); }
int stat64(const char *path, struct stat64 *to) { REAL(stat64); LOOK(-1) return real(mine, to); }
int lstat64(const char *path, struct stat64 *to) { REAL(lstat64); LOOK(-1) return real(mine, to); }
int fstatat(int folder, const char *path, struct stat *to, int flags) {
    REAL(fstatat); LOOK_AT return real(folder, mine, to, flags);
}
int fstatat64(int folder, const char *path, struct stat64 *to, int flags) {
    REAL(fstatat64); LOOK_AT return real(folder, mine, to, flags);
}
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *to) {
    REAL(statx); LOOK_AT return real(folder, mine, flags, mask, to);
}
int access(const char *path, int how) { REAL(access); LOOK(-1) return real(mine, how); }
int faccessat(int folder, const char *path, int how, int flags) {
    REAL(faccessat); LOOK_AT return real(folder, mine, how, flags);
}
DIR *opendir(const char *path) { REAL(opendir); LOOK(NULL) return real(mine); }
