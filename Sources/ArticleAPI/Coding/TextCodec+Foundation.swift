// Codecs of Foundation's types, for models of other APIs. On Linux the types come from
// FoundationEssentials, which is small.
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TextCodec where Value == URL {
    /// An absolute or relative reference (RFC 3986).
    public static var url: TextCodec {
        TextCodec(
            "a URL", .text(TextSchema(.lines, length: 1...Int.max)), parse: { URL(string: $0) },
            print: \.relativeString)
    }
}

extension TextCodec where Value == UUID {
    /// A UUID of any version in its 36-character form (RFC 9562 §4), written in lower case.
    public static var uuid: TextCodec {
        TextCodec(
            "a UUID", .text(TextSchema(.token, length: 36...36)), parse: { UUID(uuidString: $0) },
            print: { $0.uuidString.lowercased() })
    }
}

extension TextCodec where Value == Data {
    /// Bytes in base64 (RFC 4648 §4).
    public static var base64: TextCodec {
        TextCodec(
            "bytes in base64", .text(TextSchema(.lines, length: 0...Int.max)),
            parse: { Data(base64Encoded: $0) }, print: { $0.base64EncodedString() })
    }
}

extension UUID: StorableID {
    public var storedBytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

    public init?(storedBytes: [UInt8]) {
        guard storedBytes.count == 16 else { return nil }
        self.init(uuid: storedBytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}
