/// The trace that a request belongs to (W3C Trace Context, `traceparent`).
///
/// A value; use it anywhere. Its IDs are valid: hexadecimal, and not only zeros.
///
/// ```swift
/// if let trace = TraceContext(request.fields) {
///     labels.append("trace \(trace.traceID), span \(trace.parentID)")
/// }
/// ```
public struct TraceContext: Sendable, Hashable {
    /// The ID of the whole trace: 32 hexadecimal digits in lower case.
    public let traceID: String
    /// The ID of the span that sent the request: 16 such digits.
    public let parentID: String
    /// Whether the sender may have recorded the trace.
    public let isSampled: Bool

    /// Parses `traceparent`; `nil` if it is missing, invalid or repeated, in which case the request
    /// is treated as if it had none (§3.2, §4.3).
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

    /// Parses `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. A later version may append
    /// more after another dash; version `ff` is invalid.
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

    /// The length of version 00, which is the prefix of every later version.
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
