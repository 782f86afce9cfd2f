// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// As Clang imports sqlite3.h: without variadic functions, and without macros that are casts
// (SQLITE_TRANSIENT). C functions have results that may be ignored.
public typealias sqlite3_int64 = Int64
public typealias sqlite3_uint64 = UInt64
public typealias sqlite3_destructor_type = @convention(c) (UnsafeMutableRawPointer?) -> Void

public var SQLITE_OK: Int32 { 0 }
public var SQLITE_ERROR: Int32 { 1 }
public var SQLITE_PERM: Int32 { 3 }
public var SQLITE_ABORT: Int32 { 4 }
public var SQLITE_BUSY: Int32 { 5 }
public var SQLITE_LOCKED: Int32 { 6 }
public var SQLITE_NOMEM: Int32 { 7 }
public var SQLITE_READONLY: Int32 { 8 }
public var SQLITE_INTERRUPT: Int32 { 9 }
public var SQLITE_IOERR: Int32 { 10 }
public var SQLITE_CORRUPT: Int32 { 11 }
public var SQLITE_FULL: Int32 { 13 }
public var SQLITE_CANTOPEN: Int32 { 14 }
public var SQLITE_PROTOCOL: Int32 { 15 }
public var SQLITE_SCHEMA: Int32 { 17 }
public var SQLITE_TOOBIG: Int32 { 18 }
public var SQLITE_CONSTRAINT: Int32 { 19 }
public var SQLITE_MISMATCH: Int32 { 20 }
public var SQLITE_MISUSE: Int32 { 21 }
public var SQLITE_AUTH: Int32 { 23 }
public var SQLITE_FORMAT: Int32 { 24 }
public var SQLITE_RANGE: Int32 { 25 }
public var SQLITE_NOTADB: Int32 { 26 }
public var SQLITE_ROW: Int32 { 100 }
public var SQLITE_DONE: Int32 { 101 }

public var SQLITE_OPEN_READONLY: Int32 { 0x1 }
public var SQLITE_OPEN_READWRITE: Int32 { 0x2 }
public var SQLITE_OPEN_CREATE: Int32 { 0x4 }
public var SQLITE_OPEN_URI: Int32 { 0x40 }
public var SQLITE_OPEN_MEMORY: Int32 { 0x80 }
public var SQLITE_OPEN_NOMUTEX: Int32 { 0x8000 }
public var SQLITE_OPEN_FULLMUTEX: Int32 { 0x1_0000 }
public var SQLITE_OPEN_NOFOLLOW: Int32 { 0x100_0000 }
public var SQLITE_OPEN_EXRESCODE: Int32 { 0x200_0000 }

public var SQLITE_PREPARE_PERSISTENT: Int32 { 0x1 }

public var SQLITE_INTEGER: Int32 { 1 }
public var SQLITE_FLOAT: Int32 { 2 }
public var SQLITE_TEXT: Int32 { 3 }
public var SQLITE_BLOB: Int32 { 4 }
public var SQLITE_NULL: Int32 { 5 }
public var SQLITE_UTF8: Int32 { 1 }

public var SQLITE_CHECKPOINT_PASSIVE: Int32 { 0 }
public var SQLITE_CHECKPOINT_FULL: Int32 { 1 }
public var SQLITE_CHECKPOINT_RESTART: Int32 { 2 }
public var SQLITE_CHECKPOINT_TRUNCATE: Int32 { 3 }

@discardableResult
public func sqlite3_open_v2(
    _ filename: UnsafePointer<CChar>!,
    _ ppDb: UnsafeMutablePointer<OpaquePointer?>!,
    _ flags: Int32,
    _ zVfs: UnsafePointer<CChar>!
) -> Int32 { 0 }
@discardableResult
public func sqlite3_close_v2(_: OpaquePointer!) -> Int32 { 0 }
@discardableResult
public func sqlite3_extended_result_codes(_: OpaquePointer!, _ onoff: Int32) -> Int32 { 0 }
public func sqlite3_errcode(_ db: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_extended_errcode(_ db: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_errmsg(_: OpaquePointer!) -> UnsafePointer<CChar>! { nil }
public func sqlite3_errstr(_: Int32) -> UnsafePointer<CChar>! { nil }
public func sqlite3_libversion_number() -> Int32 { 0 }
@discardableResult
public func sqlite3_busy_timeout(_: OpaquePointer!, _ ms: Int32) -> Int32 { 0 }
@discardableResult
public func sqlite3_exec(
    _: OpaquePointer!,
    _ sql: UnsafePointer<CChar>!,
    _ callback: (
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32
    )!,
    _: UnsafeMutableRawPointer!,
    _ errmsg: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { 0 }
public func sqlite3_get_autocommit(_: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_changes(_: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_changes64(_: OpaquePointer!) -> sqlite3_int64 { 0 }
public func sqlite3_total_changes(_: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_total_changes64(_: OpaquePointer!) -> sqlite3_int64 { 0 }
public func sqlite3_last_insert_rowid(_: OpaquePointer!) -> sqlite3_int64 { 0 }
public func sqlite3_interrupt(_: OpaquePointer!) {}
@discardableResult
public func sqlite3_wal_checkpoint_v2(
    _ db: OpaquePointer!,
    _ zDb: UnsafePointer<CChar>!,
    _ eMode: Int32,
    _ pnLog: UnsafeMutablePointer<Int32>!,
    _ pnCkpt: UnsafeMutablePointer<Int32>!
) -> Int32 { 0 }
@discardableResult
public func sqlite3_wal_hook(
    _: OpaquePointer!,
    _: (
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) ->
            Int32
    )!,
    _: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! { nil }
@discardableResult
public func sqlite3_limit(_: OpaquePointer!, _ id: Int32, _ newVal: Int32) -> Int32 { 0 }
@discardableResult
public func sqlite3_prepare_v3(
    _ db: OpaquePointer!,
    _ zSql: UnsafePointer<CChar>!,
    _ nByte: Int32,
    _ prepFlags: UInt32,
    _ ppStmt: UnsafeMutablePointer<OpaquePointer?>!,
    _ pzTail: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> Int32 { 0 }
public func sqlite3_sql(_ pStmt: OpaquePointer!) -> UnsafePointer<CChar>! { nil }
@discardableResult
public func sqlite3_step(_: OpaquePointer!) -> Int32 { 0 }
@discardableResult
public func sqlite3_reset(_ pStmt: OpaquePointer!) -> Int32 { 0 }
@discardableResult
public func sqlite3_clear_bindings(_: OpaquePointer!) -> Int32 { 0 }
@discardableResult
public func sqlite3_finalize(_ pStmt: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_stmt_readonly(_ pStmt: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_bind_parameter_count(_: OpaquePointer!) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_blob(
    _: OpaquePointer!, _: Int32, _: UnsafeRawPointer!, _ n: Int32, _: sqlite3_destructor_type!
) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_blob64(
    _: OpaquePointer!,
    _: Int32,
    _: UnsafeRawPointer!,
    _: sqlite3_uint64,
    _: sqlite3_destructor_type!
) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_double(_: OpaquePointer!, _: Int32, _: Double) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_int(_: OpaquePointer!, _: Int32, _: Int32) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_int64(_: OpaquePointer!, _: Int32, _: sqlite3_int64) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_null(_: OpaquePointer!, _: Int32) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_text(
    _: OpaquePointer!, _: Int32, _: UnsafePointer<CChar>!, _: Int32, _: sqlite3_destructor_type!
) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_text64(
    _: OpaquePointer!,
    _: Int32,
    _: UnsafePointer<CChar>!,
    _: sqlite3_uint64,
    _: sqlite3_destructor_type!,
    _ encoding: UInt8
) -> Int32 { 0 }
@discardableResult
public func sqlite3_bind_zeroblob(_: OpaquePointer!, _: Int32, _ n: Int32) -> Int32 { 0 }
public func sqlite3_column_count(_ pStmt: OpaquePointer!) -> Int32 { 0 }
public func sqlite3_column_type(_: OpaquePointer!, _ iCol: Int32) -> Int32 { 0 }
public func sqlite3_column_blob(_: OpaquePointer!, _ iCol: Int32) -> UnsafeRawPointer! { nil }
public func sqlite3_column_bytes(_: OpaquePointer!, _ iCol: Int32) -> Int32 { 0 }
public func sqlite3_column_double(_: OpaquePointer!, _ iCol: Int32) -> Double { 0 }
public func sqlite3_column_int(_: OpaquePointer!, _ iCol: Int32) -> Int32 { 0 }
public func sqlite3_column_int64(_: OpaquePointer!, _ iCol: Int32) -> sqlite3_int64 { 0 }
public func sqlite3_column_text(_: OpaquePointer!, _ iCol: Int32) -> UnsafePointer<UInt8>! { nil }
