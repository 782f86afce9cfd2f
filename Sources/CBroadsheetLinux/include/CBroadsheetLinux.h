/// Functions that the Glibc module lacks: epoll(7), eventfd(2), accept4(2), pipe2(2), wcwidth(3),
/// cmsg(3), adjtimex(2), prctl(2), mkostemps(3), pidfd_open(2), closefrom for posix_spawn(3),
/// O_PATH of openat(2), setfsuid(2) (Linux only; empty elsewhere).
///
/// It includes no header of the Glibc module: the header's types would belong to whichever module
/// the compiler reads first.
#pragma once
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// `accept4(2)` with SOCK_NONBLOCK and SOCK_CLOEXEC; `address` is a `struct sockaddr *`, `length` a
/// `socklen_t *`.
int broadsheet_accept(int listener, void *_Nullable address, unsigned int *_Nullable length);

/// `pipe2(2)` with O_CLOEXEC.
int broadsheet_pipe(int ends[_Nonnull 2]);

/// `posix_spawn_file_actions_addclosefrom_np`; `actions` is a `posix_spawn_file_actions_t *`.
int broadsheet_close_from(void *_Nonnull actions, int first);

/// `wcwidth(3)` of a Unicode scalar: its columns on a terminal, in the process's LC_CTYPE.
int broadsheet_columns(unsigned int scalar);

/// `sendmsg(2)` of bytes with one descriptor (SCM_RIGHTS, unix(7)), or with none: -1.
long broadsheet_send_with(
    int socket, const void *_Nonnull bytes, unsigned long count, int descriptor);

/// `recvmsg(2)` of bytes and the descriptor sent with them, or -1; EMFILE if it was lost.
long broadsheet_receive_with(
    int socket, void *_Nonnull bytes, unsigned long count, int *_Nonnull descriptor);

/// `mkostemps(3)` with O_CLOEXEC; -1 and `errno` for a failure.
int broadsheet_make_temporary(char *_Nonnull name, int ending_length);

/// `openat(2)` with O_PATH and O_NOFOLLOW: a folder or a file of any kind, to be examined or used as
/// a starting point, without opening what it contains; -1 and `errno` for a failure.
int broadsheet_open_place(int folder, const char *_Nonnull name, _Bool is_folder);

/// `fchownat(2)` with AT_EMPTY_PATH: gives away what `broadsheet_open_place` opened.
int broadsheet_give_place(int place, unsigned int user, unsigned int group);

/// `setfsgid(2)` and `setfsuid(2)`: the rights of the calling thread to files. Without those of
/// root, it loses root's capabilities concerning files until it has root's again.
void broadsheet_use_file_rights(unsigned int user, unsigned int group);

/// The user whose rights to files the calling thread has (`setfsuid(2)`).
unsigned int broadsheet_file_user(void);

/// The process at the other end of a Unix socket (SO_PEERCRED, unix(7)); -1 and `errno` for a
/// failure.
int broadsheet_peer_process(int socket);

/// `pidfd_open(2)`; -1 and `errno` for a failure.
int broadsheet_open_process(int process);

/// `pidfd_send_signal(2)`; -1 and `errno` for a failure.
int broadsheet_signal_process(int descriptor, int signal);

/// `prctl(2)` with PR_SET_DUMPABLE 0; -1 and `errno` for a failure.
int broadsheet_set_undumpable(void);

/// Makes malloc map large blocks separately and unmap them when they are freed (mallopt(3)), and
/// limits the number of arenas. It must be called before threads are started.
void broadsheet_tune_memory(int arenas);

/// Bytes that are free in malloc's arenas but not returned to the kernel (mallinfo2(3)).
unsigned long broadsheet_free_bytes(void);

/// Returns free whole pages to the kernel (malloc_trim(3)).
void broadsheet_trim_memory(void);

/// Returns 1 if the clock is synchronized according to `adjtimex(2)`, 0 if not; -1 if unknown.
int broadsheet_clock_is_synchronised(void);
#endif
