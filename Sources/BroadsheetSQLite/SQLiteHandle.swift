public import CBroadsheetSQLite

/// A compiled statement (`sqlite3_stmt`) that something else finalizes. Its functions return
/// SQLite's result codes.
@usableFromInline
package struct SQLiteHandle {
    @usableFromInline package let pointer: OpaquePointer

    @inlinable
    package init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Advances to the next row (`sqlite3_step`).
    @inlinable
    package func step() -> Int32 { sqlite3_step(pointer) }

    /// Makes it ready for its next use, without parameters (`sqlite3_reset`).
    @inlinable
    package func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }

    // MARK: Parameters, counted from 1

    @inlinable
    package func bind(_ index: Int32, _ value: Int64) -> Int32 {
        sqlite3_bind_int64(pointer, index, value)
    }

    @inlinable
    package func bind(_ index: Int32, _ value: Double) -> Int32 {
        sqlite3_bind_double(pointer, index, value)
    }

    @inlinable
    package func bindNull(_ index: Int32) -> Int32 { sqlite3_bind_null(pointer, index) }

    /// - Parameter text: UTF-8. An empty text may have no address, which would be NULL.
    @inlinable
    package func bind(_ index: Int32, text: UnsafeRawBufferPointer) -> Int32 {
        text.isEmpty
            ? csqlite_bind_text(pointer, index, "", 0)
            : csqlite_bind_text(pointer, index, text.baseAddress, UInt64(text.count))
    }

    @inlinable
    package func bind(_ index: Int32, bytes: UnsafeRawBufferPointer) -> Int32 {
        bytes.isEmpty
            ? sqlite3_bind_zeroblob(pointer, index, 0)
            : csqlite_bind_blob(pointer, index, bytes.baseAddress, UInt64(bytes.count))
    }

    // MARK: Columns, counted from 0

    @inlinable
    package func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }

    @inlinable
    package func type(_ column: Int32) -> Int32 { sqlite3_column_type(pointer, column) }

    @inlinable
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    @inlinable
    package func real(_ column: Int32) -> Double { sqlite3_column_double(pointer, column) }

    /// The UTF-8 of a text, valid until the next step.
    @inlinable
    package func text(_ column: Int32) -> UnsafeRawBufferPointer {
        // The pointer must be obtained before the length: it determines the encoding.
        let start = sqlite3_column_text(pointer, column)
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// The bytes of a blob or a text, valid until the next step.
    @inlinable
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(pointer, column)
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column))
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}
