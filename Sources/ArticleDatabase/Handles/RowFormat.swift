/// The representation of a row between two engines: a tuple of PostgreSQL's binary COPY format
/// (https://www.postgresql.org/docs/15/sql-copy.html, "Tuples"), so that one of both needs no
/// conversion: the number of fields in two bytes, and for each its length in four bytes, -1 for
/// NULL, and its bytes. Numbers are big-endian; texts are encoded as in `PostgresText`.
enum RowFormat {
    /// The content of a column.
    enum Kind: Equatable {
        case integer, real, text, bytes
        /// Texts, except in rows in which the column at `index` has this value: there, bytes.
        case mixed(index: Int, bytesIf: Int64)
    }

    /// A signature, flags, and the length of an extension: the beginning of a stream.
    static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// The end of a stream, in place of a number of fields.
    static let trailer: [UInt8] = [0xFF, 0xFF]

    static func begin(_ row: inout [UInt8], fields: Int) {
        row.removeAll(keepingCapacity: true)
        append(UInt16(fields), to: &row)
    }

    static func appendNull(to row: inout [UInt8]) { append(UInt32.max, to: &row) }

    static func append(_ value: Int64, to row: inout [UInt8]) {
        append(UInt32(8), to: &row)
        append(UInt64(bitPattern: value), to: &row)
    }

    static func append(_ value: Double, to row: inout [UInt8]) {
        append(UInt32(8), to: &row)
        append(value.bitPattern, to: &row)
    }

    static func append(bytes: UnsafeRawBufferPointer, to row: inout [UInt8]) {
        append(UInt32(bytes.count), to: &row)
        row.append(contentsOf: bytes)
    }

    private static func append<Number: FixedWidthInteger>(
        _ number: Number, to row: inout [UInt8]
    ) {
        withUnsafeBytes(of: number.bigEndian) { row.append(contentsOf: $0) }
    }

    /// The fields of a row, which are valid as long as its bytes; `nil` if it is malformed. A field
    /// is `nil` for NULL.
    static func fields(of row: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer?]? {
        guard row.count >= 2 else { return nil }
        let count = Int(UInt16(bigEndian: row.loadUnaligned(as: UInt16.self)))
        var fields: [UnsafeRawBufferPointer?] = []
        fields.reserveCapacity(count)
        var position = 2
        // Invariant: the fields before `position` are found.
        while fields.count < count {
            guard position + 4 <= row.count else { return nil }
            let length = Int(
                Int32(bigEndian: row.loadUnaligned(fromByteOffset: position, as: Int32.self)))
            position += 4
            guard length >= 0 else {
                fields.append(nil)
                continue
            }
            guard position + length <= row.count else { return nil }
            fields.append(UnsafeRawBufferPointer(rebasing: row[position..<position + length]))
            position += length
        }
        return position == row.count ? fields : nil
    }

    /// A field of a column of numbers; 0 for NULL.
    static func integer(_ field: UnsafeRawBufferPointer?) -> Int64 {
        guard let field, field.count == 8 else { return 0 }
        return Int64(bigEndian: field.loadUnaligned(as: Int64.self))
    }
}
