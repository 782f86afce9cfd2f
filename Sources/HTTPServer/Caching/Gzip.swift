import CZlib
import HTTP

/// The gzip content coding (RFC 1952) for responses that get smaller by it.
enum Gzip {
    /// Compressing less than this costs more than it saves.
    static let smallestBytes = 1_024
    /// zlib's default compromise between speed and size.
    private static let level: Int32 = 6

    /// Whether the response is worth compressing: bytes of a compressible type, more than 1 KiB.
    static func isWorthwhile(_ response: HTTPResponse) -> Bool {
        guard case .bytes(let bytes) = response.body, bytes.count > smallestBytes,
            response.status == .ok, !response.fields.contains(.contentEncoding),
            let type = response.fields[.contentType].flatMap({ MediaType($0) })
        else { return false }
        return type.type == "text" || type.subtype == "json" || type.subtype == "xml"
            || type.subtype.hasSuffix("+json") || type.subtype.hasSuffix("+xml")
    }

    /// The response in this coding with its own validator; `nil` if it is not smaller. This takes
    /// time, so it must not run on an event loop.
    static func encode(_ response: HTTPResponse) -> HTTPResponse? {
        guard case .bytes(let bytes) = response.body, let body = compress(bytes) else {
            return nil
        }
        var response = response
        response.body = .bytes(body)
        response.fields.append(.contentEncoding, "gzip")
        // Two codings must not share a validator (RFC 9110 §8.8.3.3).
        response.fields[.etag] =
            response.fields[.etag].flatMap { EntityTag($0) }
            .flatMap { EntityTag(value: $0.value + "-gzip", isWeak: $0.isWeak) }?.description
        return response
    }

    /// `nil` if the result would not be smaller, or memory is exhausted.
    private static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { room, count in
            count = bytes.withUnsafeBufferPointer { bytes in
                Int(czlib_gzip(room.baseAddress, room.count, bytes.baseAddress, bytes.count, level))
            }
        }
        // A copy of the exact size: it is kept for long, and the buffer was much larger.
        return compressed.isEmpty ? nil : Array(compressed[...])
    }
}
