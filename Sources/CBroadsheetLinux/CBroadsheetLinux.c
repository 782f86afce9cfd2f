#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CBroadsheetLinux.h"

#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>
#include <wchar.h>

int broadsheet_accept(int listener, void *address, unsigned int *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void broadsheet_tune_memory(int arenas) {
    // A threshold that is set stays: by itself it would rise to the largest block ever freed.
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_ARENA_MAX, arenas);
}

unsigned long broadsheet_free_bytes(void) {
    return mallinfo2().fordblks;
}

void broadsheet_trim_memory(void) {
    malloc_trim(0);
}

int broadsheet_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int broadsheet_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

int broadsheet_open_place(int folder, const char *name, _Bool is_folder) {
    return openat(
        folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0));
}

int broadsheet_give_place(int place, unsigned int user, unsigned int group) {
    return fchownat(place, "", user, group, AT_EMPTY_PATH);
}

void broadsheet_use_file_rights(unsigned int user, unsigned int group) {
    // Only with the rights of root may the group be chosen.
    if (user == 0) setfsuid(user);
    setfsgid(group);
    if (user != 0) setfsuid(user);
}

unsigned int broadsheet_file_user(void) {
    // No user has this number, so that nothing changes.
    return (unsigned int)setfsuid((uid_t)-1);
}

// Room for one descriptor, aligned as cmsg(3) wants it.
union rights {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr alignment;
};

long broadsheet_send_with(
    int socket, const void *bytes, unsigned long count, int descriptor) {
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    union rights rights = {0};
    if (descriptor >= 0) {
        message.msg_control = rights.bytes;
        message.msg_controllen = sizeof rights.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

long broadsheet_receive_with(
    int socket, void *bytes, unsigned long count, int *descriptor) {
    struct iovec piece = {.iov_base = bytes, .iov_len = count};
    union rights rights;
    struct msghdr message = {
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = rights.bytes,
        .msg_controllen = sizeof rights.bytes,
    };
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    if (message.msg_flags & MSG_CTRUNC) {
        errno = EMFILE;
        return -1;
    }
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    }
    return received;
}

int broadsheet_columns(unsigned int scalar) {
    return wcwidth((wchar_t)scalar);
}

int broadsheet_make_temporary(char *name, int ending_length) {
    return mkostemps(name, ending_length, O_CLOEXEC);
}

int broadsheet_peer_process(int socket) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    return peer.pid;
}

int broadsheet_open_process(int process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int broadsheet_signal_process(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, NULL, 0);
}

int broadsheet_set_undumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int broadsheet_clock_is_synchronised(void) {
    struct timex clock = {.modes = 0};
    int state = adjtimex(&clock);
    if (state < 0) return -1;
    return state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}
#endif
