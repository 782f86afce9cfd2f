public import BroadsheetHTTP
import CBroadsheetNghttp2

/// The fields of a message to send, with names in lower case, as HTTP/2 requires (RFC 9113 §8.2).
///
/// Fields that differ from message to message should be neither indexed nor compressed by
/// reference: they would displace others from the peer's table (RFC 7541 §2.3.2).
public struct HTTP2Fields: Sendable {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// Ranges in `bytes`.
    private struct Entry: Sendable {
        let nameStart: UInt32
        let nameLength: UInt32
        let valueLength: UInt32
        let isIndexed: Bool
    }

    public init() {}

    public var count: Int { entries.count }

    /// The size by which RFC 9113 §6.5.2 counts a list: octets, and 32 for each field.
    public var listBytes: Int { bytes.count + 32 * entries.count }

    /// The octets of names and values.
    public var octetCount: Int { bytes.count }

    /// Removes everything but keeps the capacity.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    /// - Parameter name: In lower case.
    public mutating func append(_ name: StaticString, _ value: String, isIndexed: Bool = true) {
        let start = begin(name)
        bytes.append(contentsOf: value.utf8)
        end(start, name.utf8CodeUnitCount, isIndexed)
    }

    /// - Parameter name: In lower case.
    public mutating func append(_ name: StaticString, _ value: [UInt8], isIndexed: Bool = true) {
        let start = begin(name)
        bytes.append(contentsOf: value)
        end(start, name.utf8CodeUnitCount, isIndexed)
    }

    /// Appends all fields except those of HTTP/1 connections (RFC 9113 §8.2.2).
    public mutating func append(contentsOf fields: borrowing HTTPFields) {
        let wire = fields.wireBytes
        fields.forEachPlace { name, value in
            let start = bytes.count
            for index in name {
                let byte = wire[index]
                bytes.append((65...90).contains(byte) ? byte | 0x20 : byte)
            }
            guard !Self.isOfConnection(bytes[start...]) else {
                bytes.removeSubrange(start...)
                return
            }
            let isSecret = Self.isSecret(bytes[start...])
            bytes.append(contentsOf: wire[value])
            end(start, name.count, !isSecret)
        }
    }

    private mutating func begin(_ name: StaticString) -> Int {
        let start = bytes.count
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        return start
    }

    private mutating func end(_ start: Int, _ nameLength: Int, _ isIndexed: Bool) {
        entries.append(
            Entry(
                nameStart: UInt32(start), nameLength: UInt32(nameLength),
                valueLength: UInt32(bytes.count - start - nameLength), isIndexed: isIndexed))
    }

    private static func isOfConnection(_ name: ArraySlice<UInt8>) -> Bool {
        connectionNames.contains { $0.count == name.count && name.elementsEqual($0) }
    }

    private static let connectionNames: [[UInt8]] = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ].map { Array($0.utf8) }

    /// Returns true if the value must not be in a table that an attacker could probe (RFC 7541
    /// §7.1.3).
    private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        secretNames.contains { $0.count == name.count && name.elementsEqual($0) }
    }

    private static let secretNames: [[UInt8]] = [
        "authorization", "cookie", "proxy-authorization", "set-cookie",
    ].map { Array($0.utf8) }

    /// Lends the fields of several lists, in order, as libnghttp2 takes them. They are valid until
    /// the body returns.
    static func withNameValues<Result>(
        of lists: [HTTP2Fields], _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        let count = lists.reduce(0) { $0 + $1.count }
        return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: max(1, count)) { room in
            fill(room, 0, lists[...], body)
        }
    }

    private static func fill<Result>(
        _ room: UnsafeMutableBufferPointer<nghttp2_nv>, _ filled: Int,
        _ lists: ArraySlice<HTTP2Fields>,
        _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        guard let list = lists.first else {
            return body(UnsafeMutableBufferPointer(rebasing: room[..<filled]))
        }
        return list.bytes.withUnsafeBufferPointer { bytes in
            var next = filled
            // Invariant: the room's first `next` places are initialized.
            for entry in list.entries {
                let name = UnsafeMutablePointer(mutating: bytes.baseAddress)
                    .map { $0 + Int(entry.nameStart) }
                let flags = entry.isIndexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
                room.initializeElement(
                    at: next,
                    to: nghttp2_nv(
                        name: name, value: name.map { $0 + Int(entry.nameLength) },
                        namelen: Int(entry.nameLength), valuelen: Int(entry.valueLength),
                        flags: UInt8(flags.rawValue)))
                next += 1
            }
            return fill(room, next, lists.dropFirst(), body)
        }
    }
}
