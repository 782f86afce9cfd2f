/// The directives of `Cache-Control` for a private cache (RFC 9111 §5.2.2).
package struct CacheControl {
    package let forbidsStorage: Bool
    /// `nil` if each use requires revalidation.
    package let lifetimeSeconds: Int64?

    package init(_ fields: HTTPFields) {
        var seconds: Int64?
        var (forbidsStorage, mustAsk) = (false, false)
        fields.withEachElement(of: .cacheControl) { directive in
            if Self.value("no-store", directive) == "" { forbidsStorage = true }
            if let value = Self.value("no-cache", directive), value.isEmpty || value.first == "=" {
                mustAsk = true
            }
            if seconds == nil, let value = Self.value("max-age=", directive) {
                seconds = Int64(value)
            }
        }
        self.forbidsStorage = forbidsStorage
        lifetimeSeconds = mustAsk ? nil : seconds.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The directive after this beginning, in lower case and without white space and quotation
    /// marks; `nil` if it begins differently.
    private static func value(
        _ beginning: StaticString, _ directive: borrowing Span<UInt8>
    ) -> String? {
        var length = 0
        var rest: [UInt8] = []
        // Invariant: the octets before `index` are the first `length` ones of the beginning, or all
        // of it and `rest`.
        for index in 0..<directive.count {
            let byte = directive[index]
            guard byte > 0x20, byte != UInt8(ascii: "\"") else { continue }
            let lower = (65...90).contains(byte) ? byte | 0x20 : byte
            if length == beginning.utf8CodeUnitCount {
                rest.append(lower)
            } else if beginning.utf8Start[length] == lower {
                length += 1
            } else {
                return nil
            }
        }
        guard length == beginning.utf8CodeUnitCount else { return nil }
        return String(decoding: rest, as: UTF8.self)
    }
}
