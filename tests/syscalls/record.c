/* Writes down what a process does to files and folders, and kills it before the n-th of these calls.

   Rule: every call is made as it was asked for. What is written down is enough to say which octets and names a disk may
   hold after a power cut: a line for each call that succeeded, with inodes instead of descriptors. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int log_fd = -1, left, without_unnamed;

/* Write lines to a descriptor from now on; kill this process before the n-th call (0: never). */
void record_begin(int fd, int cut) { log_fd = fd; left = cut; }

/* Write nothing down any more. */
void record_end(void) { log_fd = -1; }

/* Let no file system make files without a name, as some can't. */
void record_without_unnamed(int yes) { without_unnamed = yes; }

static void before(void) {
    if (log_fd >= 0 && left && --left == 0) kill(getpid(), SIGKILL);
}

static unsigned long inode(int fd) {
    struct stat status;
    return fd == AT_FDCWD || fstat(fd, &status) ? 0 : status.st_ino;
}

static unsigned long inode_at(int folder, const char *name) {
    struct stat status;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) ? 0 : status.st_ino;
}

static void note(const char *format, ...) {
    char line[70000];
    int number = errno;
    va_list values;
    if (log_fd < 0) return;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    syscall(SYS_write, log_fd, line, length);
    errno = number;
}

#define REAL(result, name, arguments) \
    static result (*real) arguments; \
    if (!real) real = (result (*) arguments)dlsym(RTLD_NEXT, name)

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    REAL(int, "openat64", (int, const char *, int, ...));
    int unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (unnamed && without_unnamed) { errno = EOPNOTSUPP; return -1; }
    if (!(flags & (O_CREAT | O_TRUNC)) && !unnamed) return real(folder, path, flags, mode);
    before();
    unsigned long was = inode_at(folder, path);
    int fd = real(folder, path, flags, mode);
    if (fd < 0) return fd;
    if (unnamed) note("new %lu\n", inode(fd));
    else if (!was) note("new %lu\ncreate %lu %s %lu\n", inode(fd), inode(folder), path, inode(fd));
    return fd;
}

#define OPEN(symbol, first, folder) \
    int symbol first { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return open_at(folder, path, flags, mode); \
    }

OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int at, const char *path, int flags, ...), at)
OPEN(openat64, (int at, const char *path, int flags, ...), at)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", (int, const void *, size_t));
    if (log_fd < 0 || size > 30000) return real(fd, data, size);
    before();
    off_t at = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    ssize_t done = real(fd, data, size);
    if (done < 0 || at < 0) return done;
    char hex[60001];
    for (ssize_t i = 0; i < done; i++) sprintf(hex + 2 * i, "%02x", ((const unsigned char *)data)[i]);
    hex[2 * done] = 0;
    note("write %lu %ld %s\n", inode(fd), (long)at, hex);
    return done;
}

#define CALL(symbol, arguments, values, ...) \
    int symbol arguments { \
        REAL(int, #symbol, arguments); \
        before(); \
        int result = real values; \
        if (!result) note(__VA_ARGS__); \
        return result; \
    }

CALL(fsync, (int fd), (fd), "fsync %lu\n", inode(fd))
CALL(ftruncate, (int fd, off_t size), (fd, size), "cut %lu %ld\n", inode(fd), (long)size)
CALL(ftruncate64, (int fd, off64_t size), (fd, size), "cut %lu %ld\n", inode(fd), (long)size)
CALL(mkdirat, (int at, const char *name, mode_t mode), (at, name, mode), "create %lu %s %lu\n", inode(at), name, inode_at(at, name))
CALL(linkat, (int from, const char *name, int to, const char *other, int flags), (from, name, to, other, flags),
     "create %lu %s %lu\n", inode(to), other, inode_at(to, other))
CALL(renameat, (int from, const char *name, int to, const char *other), (from, name, to, other),
     "move %lu %s %lu %s %lu\n", inode(from), name, inode(to), other, inode_at(to, other))
CALL(unlinkat, (int at, const char *name, int flags), (at, name, flags), "remove %lu %s\n", inode(at), name)
