/* SQLite's way to the disk with somebody listening in (https://www.sqlite.org/vfs.html). */
#pragma once
#include <stdint.h>

/* What is about to be done to a file. */
enum {
    CFAULT_WRITE = 1,
    CFAULT_TRUNCATE,
    CFAULT_SYNC,
    /* `offset` is 1 if the folder is flushed, too. */
    CFAULT_DELETE,
};

/* What the listener wants instead: 0 lets it be done. */
enum {
    CFAULT_NONE = 0,
    CFAULT_EIO,
    CFAULT_ENOSPC,
    /* Half of a write is done, then there is no room. */
    CFAULT_SHORT,
};

/* Asked before each of these; the bytes of a write, or the new length of a file as `count`. */
typedef int (*cfault_listener)(
    int operation, const char *path, int64_t offset, const void *bytes, int64_t count);

/* Puts the listener between SQLite and its default file system, for all connections to come. */
int cfault_register(cfault_listener listener);
