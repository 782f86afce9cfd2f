/// SQLite, and what Swift cannot see of it: variadic functions.
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
