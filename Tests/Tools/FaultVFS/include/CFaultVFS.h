/* A SQLite VFS that can inject faults (https://www.sqlite.org/vfs.html). */
#pragma once
#include <stdint.h>

/* The operations on files. */
enum {
    CFAULT_WRITE = 1,
    CFAULT_TRUNCATE,
    CFAULT_SYNC,
    /* `offset` is 1 if the folder is also flushed. */
    CFAULT_DELETE,
};

/* The faults that the listener can request; 0 means that the operation is performed. */
enum {
    CFAULT_NONE = 0,
    CFAULT_EIO,
    CFAULT_ENOSPC,
    /* Half of the data is written before the disk is full. */
    CFAULT_SHORT,
};

/* Called before each operation with the bytes of a write, or the new length as `count`. */
typedef int (*cfault_listener)(
    int operation, const char *path, int64_t offset, const void *bytes, int64_t count);

/* Installs the listener between SQLite and its default file system for all later connections. */
int cfault_register(cfault_listener listener);
