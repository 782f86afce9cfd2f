/// Decodes a document to UTF-8, piece by piece, for `XMLRepair`. The encoding is that of a byte
/// order mark, of the media type, or of the XML declaration, in this order (RFC 7303 §3).
///
/// A byte that does not occur in UTF-8 stands for bytes that cannot be decoded.
struct XMLDecoder {
    /// `nil` until it is known.
    private(set) var encoding: XMLEncoding?
    private(set) var failure: XMLError?
    private let label: String?
    private var start: [UInt8] = []
    private var converter: XMLConverter?

    /// The number of bytes that are looked through for a declaration, as in HTML (§13.2.3.2).
    private static let sniffedBytes = 1_024

    init(label: String?) { self.label = label }

    mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        guard encoding == nil else { return decoded(bytes, isLast: false) }
        start += bytes
        guard start.count >= Self.sniffedBytes else { return [] }
        return begin(isLast: false)
    }

    mutating func finish() -> [UInt8] {
        encoding == nil ? begin(isLast: true) : decoded([], isLast: true)
    }

    private mutating func begin(isLast: Bool) -> [UInt8] {
        let bytes = start
        start = []
        guard failure == nil else { return [] }
        do throws(XMLError) {
            let found = try XMLEncoding.detect(bytes.prefix(Self.sniffedBytes), label: label)
            if found.encoding != .utf8 {
                converter = XMLConverter(found.encoding)
                // The C library may lack it.
                if converter == nil {
                    throw XMLError(line: 1, .unknownEncoding(found.encoding.name))
                }
            }
            encoding = found.encoding
            return decoded(Array(bytes.dropFirst(found.markBytes)), isLast: isLast)
        } catch {
            failure = error
            return []
        }
    }

    private mutating func decoded(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        converter?.convert(bytes, isLast: isLast) ?? bytes
    }
}
