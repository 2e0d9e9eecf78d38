/* Fails one call of the C library, once: the n-th call of a function by the thread that asked for it.

   Rule: what is not armed is passed on untouched. Other threads (servers, look-ups) are never touched. It is loaded by
   LD_PRELOAD, so that it stands before the calls of Python, of OpenSSL and of libcurl alike. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <poll.h>
#include <unistd.h>

#define FUNCTIONS(X) \
    X(socket) X(socketpair) X(bind) X(connect) X(send) X(sendto) X(sendmsg) X(recv) X(recvfrom) X(recvmsg) \
    X(getsockopt) X(setsockopt) X(getpeername) X(getsockname) X(epoll_create1) X(epoll_ctl) X(epoll_wait) X(poll) \
    X(open) X(openat) X(read) X(write) X(close) X(fsync) X(fchmod) X(ftruncate) X(lseek) X(rename) X(link) X(unlink) \
    X(fstat) X(stat) X(fcntl) X(ioctl) X(dup)

enum {
#define X(name) ID_##name,
    FUNCTIONS(X)
#undef X
    COUNT
};

static const char *const names[COUNT] = {
#define X(name) #name,
    FUNCTIONS(X)
#undef X
};

static __thread int counting, armed = -1, left, error, hits;
static __thread long counts[COUNT];

static int find(const char *name) {
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

/* Count the calls of this thread, from now on. */
void fault_count(void) { memset(counts, 0, sizeof counts); counting = 1; }

/* How often this thread has called a function since then. */
long fault_counted(const char *name) { int id = find(name); return id < 0 ? -1 : counts[id]; }

/* Let the n-th call from now on fail with this number of errno. */
void fault_arm(const char *name, int nth, int number) { armed = find(name); left = nth; error = number; hits = 0; }

/* Let nothing fail any more; whether something did. */
int fault_disarm(void) { armed = -1; counting = 0; return hits; }

static int fails(int id) {
    if (counting) counts[id]++;
    if (armed != id || --left != 0) return 0;
    armed = -1;
    hits++;
    errno = error;
    return 1;
}

#define PASS(result, symbol, id, arguments, values) \
    result symbol arguments { \
        static result (*real) arguments; \
        if (!real) real = (result (*) arguments)dlsym(RTLD_NEXT, #symbol); \
        if (fails(ID_##id)) return (result)-1; \
        return real values; \
    }

PASS(int, socket, socket, (int a, int b, int c), (a, b, c))
PASS(int, socketpair, socketpair, (int a, int b, int c, int d[2]), (a, b, c, d))
PASS(int, bind, bind, (int a, const struct sockaddr *b, socklen_t c), (a, b, c))
PASS(int, connect, connect, (int a, const struct sockaddr *b, socklen_t c), (a, b, c))
PASS(ssize_t, send, send, (int a, const void *b, size_t c, int d), (a, b, c, d))
PASS(ssize_t, sendto, sendto, (int a, const void *b, size_t c, int d, const struct sockaddr *e, socklen_t f), (a, b, c, d, e, f))
PASS(ssize_t, sendmsg, sendmsg, (int a, const struct msghdr *b, int c), (a, b, c))
PASS(ssize_t, recv, recv, (int a, void *b, size_t c, int d), (a, b, c, d))
PASS(ssize_t, recvfrom, recvfrom, (int a, void *b, size_t c, int d, struct sockaddr *e, socklen_t *f), (a, b, c, d, e, f))
PASS(ssize_t, recvmsg, recvmsg, (int a, struct msghdr *b, int c), (a, b, c))
PASS(int, getsockopt, getsockopt, (int a, int b, int c, void *d, socklen_t *e), (a, b, c, d, e))
PASS(int, setsockopt, setsockopt, (int a, int b, int c, const void *d, socklen_t e), (a, b, c, d, e))
PASS(int, getpeername, getpeername, (int a, struct sockaddr *b, socklen_t *c), (a, b, c))
PASS(int, getsockname, getsockname, (int a, struct sockaddr *b, socklen_t *c), (a, b, c))
PASS(int, epoll_create1, epoll_create1, (int a), (a))
PASS(int, epoll_ctl, epoll_ctl, (int a, int b, int c, struct epoll_event *d), (a, b, c, d))
PASS(int, epoll_wait, epoll_wait, (int a, struct epoll_event *b, int c, int d), (a, b, c, d))
PASS(int, poll, poll, (struct pollfd *a, nfds_t b, int c), (a, b, c))
PASS(ssize_t, read, read, (int a, void *b, size_t c), (a, b, c))
PASS(ssize_t, write, write, (int a, const void *b, size_t c), (a, b, c))
PASS(int, fsync, fsync, (int a), (a))
PASS(int, fchmod, fchmod, (int a, mode_t b), (a, b))
PASS(int, ftruncate64, ftruncate, (int a, off64_t b), (a, b))
PASS(off64_t, lseek64, lseek, (int a, off64_t b, int c), (a, b, c))
PASS(int, renameat, rename, (int a, const char *b, int c, const char *d), (a, b, c, d))
PASS(int, rename, rename, (const char *a, const char *b), (a, b))
PASS(int, linkat, link, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
PASS(int, unlinkat, unlink, (int a, const char *b, int c), (a, b, c))
PASS(int, unlink, unlink, (const char *a), (a))
PASS(int, fstat64, fstat, (int a, struct stat64 *b), (a, b))
PASS(int, stat64, stat, (const char *a, struct stat64 *b), (a, b))
PASS(int, fstatat64, stat, (int a, const char *b, struct stat64 *c, int d), (a, b, c, d))
PASS(int, dup, dup, (int a), (a))

/* A descriptor is closed even when close says it failed (close(2), Linux). */
int close(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    int failing = fails(ID_close), number = errno, result = real(fd);
    if (!failing) return result;
    errno = number;
    return -1;
}

#define OPEN(symbol, id, first, values) \
    int symbol first { \
        static int (*real)(int, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (!real) real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat64"); \
        if (fails(ID_##id)) return -1; \
        return real values; \
    }

OPEN(open, open, (const char *path, int flags, ...), (AT_FDCWD, path, flags, mode))
OPEN(open64, open, (const char *path, int flags, ...), (AT_FDCWD, path, flags, mode))
OPEN(openat, openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPEN(openat64, openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))

#define VARIADIC(symbol, id, request) \
    int symbol(int fd, request command, ...) { \
        static int (*real)(int, request, ...); \
        va_list rest; \
        va_start(rest, command); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        if (!real) real = (int (*)(int, request, ...))dlsym(RTLD_NEXT, #symbol); \
        if (fails(ID_##id)) return -1; \
        return real(fd, command, argument); \
    }

VARIADIC(fcntl, fcntl, int)
VARIADIC(fcntl64, fcntl, int)
VARIADIC(ioctl, ioctl, unsigned long)
