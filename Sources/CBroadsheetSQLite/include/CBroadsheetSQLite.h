/// SQLite, and what Swift cannot see of it: a variadic function, a cast macro.
#pragma once
#include <sqlite3.h>

/// `sqlite3_db_config` for the options that take a flag.
static inline int csqlite_configure(sqlite3 *database, int option, int flag) {
    return sqlite3_db_config(database, option, flag, (int *)0);
}

/// `sqlite3_config` without SQLITE_CONFIG_MEMSTATUS.
static inline int csqlite_leave_memory_uncounted(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// `sqlite3_bind_text64` of UTF-8 that is copied (SQLITE_TRANSIENT).
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, index, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// `sqlite3_bind_blob64` of bytes that are copied (SQLITE_TRANSIENT).
static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
