/// A hash of bytes (FNV-1a) that is the same in each process and version: it tells things apart,
/// and protects nothing.
package struct StableHash: Sendable, Hashable {
    private let value: UInt64

    package init(_ bytes: some Sequence<UInt8>) {
        value = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    package var text: String { Self.digits(value) }

    /// 16 hexadecimal digits, which have the order of the numbers.
    package static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
