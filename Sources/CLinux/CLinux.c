#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CLinux.h"
#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
int broadsheet_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int broadsheet_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}
#endif
