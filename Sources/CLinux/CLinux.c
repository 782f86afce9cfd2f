#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#if defined(__linux__)
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

int broadsheet_accept(int listener, void *address, unsigned int *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int broadsheet_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

int broadsheet_columns(unsigned int scalar) {
    return wcwidth((wchar_t)scalar);
}
#endif
