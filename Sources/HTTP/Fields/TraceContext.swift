/// Where a request stands in a trace that began elsewhere (W3C Trace Context, `traceparent`).
public struct TraceContext: Sendable, Hashable {
    /// Of the whole trace: 32 hexadecimal digits, in small letters.
    public let traceID: String
    /// Of the step that sent the request: 16 such digits.
    public let parentID: String
    /// Whether the sender may have recorded it.
    public let isSampled: Bool

    /// What the fields say; `nil` where they say nothing, nothing valid, or it twice: then the
    /// request is treated as if it came without (§3.2, §4.3).
    public init?(_ fields: borrowing HTTPFields) {
        guard fields.contains(.traceparent) else { return nil }
        var values = 0
        var found: TraceContext?
        fields.withEachValue(of: .traceparent) { value in
            values += 1
            found = TraceContext(value)
        }
        guard values == 1, let found else { return nil }
        self = found
    }

    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. A later version may have more
    /// behind another dash; version `ff` is none.
    public init?(_ value: borrowing Span<UInt8>) {
        guard value.count >= Self.length else { return nil }
        for dash in [2, 35, 52] where value[dash] != UInt8(ascii: "-") { return nil }
        guard let version = Self.hexadecimal(value, 0..<2), version != "ff",
            let trace = Self.hexadecimal(value, 3..<35), trace.contains(where: { $0 != "0" }),
            let parent = Self.hexadecimal(value, 36..<52), parent.contains(where: { $0 != "0" }),
            let flags = Self.hexadecimal(value, 53..<55).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        if value.count > Self.length {
            guard version != "00", value[Self.length] == UInt8(ascii: "-") else { return nil }
        }
        traceID = trace
        parentID = parent
        isSampled = flags & 1 == 1
    }

    /// Of version 00, and of what every later one begins with.
    private static let length = 55

    private static func hexadecimal(
        _ value: borrowing Span<UInt8>, _ range: Range<Int>
    ) -> String? {
        var text = ""
        for index in range {
            switch value[index] {
            case 0x30...0x39, 0x61...0x66:
                text.unicodeScalars.append(Unicode.Scalar(value[index]))
            default: return nil
            }
        }
        return text
    }
}
