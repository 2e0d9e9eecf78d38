/* Writes down where a process turns to: each connect, each datagram with an address, each name that is looked up.

   Rule: every call is made as it was asked for, and the line is written before it is made. It is loaded by LD_PRELOAD,
   so that it stands before the calls of Python, of OpenSSL and of libcurl alike. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(result, name, arguments) \
    static result (*real) arguments; \
    if (!real) real = (result (*) arguments)dlsym(RTLD_NEXT, name)

/* One line to the file that WATCH_LOG names; O_APPEND keeps the lines of several threads apart. */
static void note(const char *line, int length) {
    static int fd = -1;
    int number = errno;
    if (fd < 0) {
        const char *path = getenv("WATCH_LOG");
        fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
        if (fd < 0) abort();
    }
    if (syscall(SYS_write, fd, line, length) != length) abort();
    errno = number;
}

static void note_address(const char *verb, const struct sockaddr *address) {
    char text[INET6_ADDRSTRLEN], line[128];
    if (!address) return;
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
        note(line, sprintf(line, "%s %s %u\n", verb, text, ntohs(in->sin_port)));
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof text);
        note(line, sprintf(line, "%s %s %u\n", verb, text, ntohs(in->sin6_port)));
    }
}

int connect(int fd, const struct sockaddr *address, socklen_t size) {
    REAL(int, "connect", (int, const struct sockaddr *, socklen_t));
    note_address("connect", address);
    return real(fd, address, size);
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
    REAL(ssize_t, "sendto", (int, const void *, size_t, int, const struct sockaddr *, socklen_t));
    note_address("send", to);
    return real(fd, data, size, flags, to, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    REAL(ssize_t, "sendmsg", (int, const struct msghdr *, int));
    note_address("send", message->msg_name);
    return real(fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags) {
    REAL(int, "sendmmsg", (int, struct mmsghdr *, unsigned, int));
    for (unsigned i = 0; i < count; i++) note_address("send", messages[i].msg_hdr.msg_name);
    return real(fd, messages, count, flags);
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    REAL(int, "getaddrinfo", (const char *, const char *, const struct addrinfo *, struct addrinfo **));
    char line[400];
    note(line, sprintf(line, "look-up %.300s -\n", host ? host : "-"));
    return real(host, service, hints, found);
}
