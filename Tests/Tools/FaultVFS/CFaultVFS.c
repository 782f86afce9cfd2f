#include "CFaultVFS.h"
#include <sqlite3.h>
#include <string.h>

/* A wrapped file and its path; the real file follows in memory. */
typedef struct {
    sqlite3_file base;
    const char *path;
} FaultFile;

static sqlite3_vfs shim;
static sqlite3_vfs *real_vfs;
static cfault_listener listener;

static sqlite3_file *real_of(sqlite3_file *file) { return (sqlite3_file *)((FaultFile *)file + 1); }

static int ask(int operation, sqlite3_file *file, int64_t offset, const void *bytes, int64_t count) {
    const char *path = ((FaultFile *)file)->path;
    return path ? listener(operation, path, offset, bytes, count) : CFAULT_NONE;
}

static int fault_close(sqlite3_file *file) { return real_of(file)->pMethods->xClose(real_of(file)); }

static int fault_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real_of(file)->pMethods->xRead(real_of(file), bytes, count, offset);
}

static int fault_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    switch (ask(CFAULT_WRITE, file, offset, bytes, count)) {
    case CFAULT_NONE: return real_of(file)->pMethods->xWrite(real_of(file), bytes, count, offset);
    case CFAULT_EIO: return SQLITE_IOERR_WRITE;
    case CFAULT_SHORT: (void)real_of(file)->pMethods->xWrite(real_of(file), bytes, count / 2, offset);
    }
    return SQLITE_FULL;
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (ask(CFAULT_TRUNCATE, file, 0, NULL, size)) return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int fault_sync(sqlite3_file *file, int flags) {
    switch (ask(CFAULT_SYNC, file, 0, NULL, 0)) {
    case CFAULT_NONE: return real_of(file)->pMethods->xSync(real_of(file), flags);
    case CFAULT_EIO: return SQLITE_IOERR_FSYNC;
    }
    return SQLITE_FULL;
}

static int fault_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int fault_lock(sqlite3_file *file, int level) {
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int fault_unlock(sqlite3_file *file, int level) {
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int fault_check_lock(sqlite3_file *file, int *result) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), result);
}

static int fault_control(sqlite3_file *file, int operation, void *argument) {
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int fault_sector(sqlite3_file *file) {
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int fault_traits(sqlite3_file *file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int fault_map(sqlite3_file *file, int region, int size, int extend, void volatile **place) {
    return real_of(file)->pMethods->xShmMap(real_of(file), region, size, extend, place);
}

static int fault_map_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void fault_barrier(sqlite3_file *file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }

static int fault_unmap(sqlite3_file *file, int remove) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static int fault_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **place) {
    return real_of(file)->pMethods->xFetch(real_of(file), offset, count, place);
}

static int fault_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *place) {
    return real_of(file)->pMethods->xUnfetch(real_of(file), offset, place);
}

static const sqlite3_io_methods methods = {
    3, fault_close, fault_read, fault_write, fault_truncate, fault_sync, fault_size,
    fault_lock, fault_unlock, fault_check_lock, fault_control, fault_sector, fault_traits,
    fault_map, fault_map_lock, fault_barrier, fault_unmap, fault_fetch, fault_unfetch,
};

static int fault_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    ((FaultFile *)file)->path = path;
    int code = real_vfs->xOpen(real_vfs, path, real_of(file), flags, out_flags);
    file->pMethods = real_of(file)->pMethods ? &methods : NULL;
    return code;
}

static int fault_delete(sqlite3_vfs *vfs, const char *path, int sync_folder) {
    (void)vfs;
    if (listener(CFAULT_DELETE, path, sync_folder, NULL, 0)) return SQLITE_IOERR_DELETE;
    return real_vfs->xDelete(real_vfs, path, sync_folder);
}

int cfault_register(cfault_listener asked) {
    real_vfs = sqlite3_vfs_find(NULL);
    if (!real_vfs) return SQLITE_ERROR;
    listener = asked;
    shim = *real_vfs;
    shim.pNext = NULL;
    shim.zName = "faulty";
    shim.szOsFile = (int)sizeof(FaultFile) + real_vfs->szOsFile;
    shim.xOpen = fault_open;
    shim.xDelete = fault_delete;
    return sqlite3_vfs_register(&shim, 1);
}
