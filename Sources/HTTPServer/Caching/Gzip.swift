import CZlib
import HTTP

/// The gzip coding (RFC 1952) of answers that gain by it.
enum Gzip {
    /// Up to this size, the coding costs more than it saves.
    static let smallestBytes = 1_024
    /// zlib's own middle between speed and size.
    private static let level: Int32 = 6

    /// Whether an answer may get smaller: bytes of a kind that compresses, more than 1 KiB.
    static func isWorthwhile(_ response: HTTPResponse) -> Bool {
        guard case .bytes(let bytes) = response.body, bytes.count > smallestBytes,
            response.status == .ok, !response.fields.contains(.contentEncoding),
            let type = response.fields[.contentType].flatMap({ MediaType($0) })
        else { return false }
        return type.type == "text" || type.subtype == "json" || type.subtype == "xml"
            || type.subtype.hasSuffix("+json") || type.subtype.hasSuffix("+xml")
    }

    /// The answer in this coding, with a validator of its own; `nil` if it is no smaller. It takes
    /// its time: not for event loops.
    static func encode(_ response: HTTPResponse) -> HTTPResponse? {
        guard case .bytes(let bytes) = response.body, let body = compress(bytes) else {
            return nil
        }
        var response = response
        response.body = .bytes(body)
        response.fields.append(.contentEncoding, "gzip")
        // One validator never stands for two codings (RFC 9110 §8.8.3.3).
        response.fields[.etag] =
            response.fields[.etag].flatMap { EntityTag($0) }
            .flatMap { EntityTag(value: $0.value + "-gzip", isWeak: $0.isWeak) }?.description
        return response
    }

    /// `nil` if the result would be no smaller, or there is no memory for it.
    private static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { room, count in
            count = bytes.withUnsafeBufferPointer { bytes in
                Int(czlib_gzip(room.baseAddress, room.count, bytes.baseAddress, bytes.count, level))
            }
        }
        // A copy of its own size: it is kept for long, and had room for much more.
        return compressed.isEmpty ? nil : Array(compressed[...])
    }
}
