/// What the Glibc module leaves out: epoll, eventfd, accept4 (Linux only; empty elsewhere).
#pragma once
#if defined(__linux__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#endif
