/// What the Glibc module leaves out: epoll(7), eventfd(2), accept4(2) (Linux only; empty elsewhere).
#pragma once
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// `accept4(2)` with SOCK_NONBLOCK and SOCK_CLOEXEC.
int broadsheet_accept(int listener, struct sockaddr *_Nullable address,
                      socklen_t *_Nullable length);

/// `pipe2(2)` with O_CLOEXEC.
int broadsheet_pipe(int ends[_Nonnull 2]);
#endif
