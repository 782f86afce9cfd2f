/// Validates URLs in articles: absolute http(s) URLs (RFC 3986) of at most 2,000 bytes.
///
/// Functions; call them on any thread.
///
/// ```swift
/// let fault = WebAddress.fault("ftp://example.org")
/// ```
package enum WebAddress {
    package static let limitBytes = 2000

    /// Returns the reason why `text` is not a valid URL; `nil` if it is one.
    ///
    /// User names and passwords are rejected because articles are public. Non-ASCII characters must
    /// be percent-encoded, and hosts given in their ASCII form.
    package static func fault(_ text: String) -> String? {
        guard text.utf8.count <= limitBytes else { return "is longer than \(limitBytes) bytes" }
        let bytes = Array(text.utf8)
        let lowered = text.prefix(8).lowercased()
        let start: Int
        if lowered.hasPrefix("http://") {
            start = 7
        } else if lowered.hasPrefix("https://") {
            start = 8
        } else {
            return "must be an absolute http or https URL"
        }
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        guard isAuthority(bytes[start..<end]) else {
            return "has no valid host (an ASCII name or IP address, with an optional port)"
        }
        return hasValidTail(bytes[end...])
            ? nil : "contains a character that must be percent-encoded (RFC 3986)"
    }

    private static func isAuthority(_ bytes: ArraySlice<UInt8>) -> Bool {
        var host = bytes
        if host.first == UInt8(ascii: "[") {
            guard let close = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = host[(host.startIndex + 1)..<close]
            guard address.contains(UInt8(ascii: ":")), address.count <= 45,
                address.allSatisfy({ isHexadecimal($0) || ":.".utf8.contains($0) })
            else { return false }
            let rest = host[(close + 1)...]
            return rest.isEmpty || rest.first == UInt8(ascii: ":") && isPort(rest.dropFirst())
        }
        if let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            guard isPort(host[(colon + 1)...]) else { return false }
            host = host[..<colon]
        }
        return isHostName(host)
    }

    /// Labels of 1 to 63 letters, digits and hyphens (RFC 1123 §2.1); at most 253 bytes.
    private static func isHostName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = (bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return bytes.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                    && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { isAlphanumeric($0) || "-_".utf8.contains($0) }
            }
    }

    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard (1...5).contains(bytes.count), bytes.allSatisfy({ (48...57).contains($0) }) else {
            return false
        }
        return (1...65535).contains(bytes.reduce(0) { $0 * 10 + Int($1 - 48) })
    }

    /// Path, query and fragment: RFC 3986's characters, complete percent-escapes, at most one `#`.
    private static func hasValidTail(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        var hasFragment = false
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.endIndex, isHexadecimal(bytes[index + 1]),
                    isHexadecimal(bytes[index + 2])
                else { return false }
                index += 2
            case UInt8(ascii: "#"):
                guard !hasFragment else { return false }
                hasFragment = true
            case let byte:
                guard isAlphanumeric(byte) || "-._~!$&'()*+,;=:@/?".utf8.contains(byte) else {
                    return false
                }
            }
            index += 1
        }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (97...122).contains(byte | 0x20) || (48...57).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...102).contains(byte | 0x20)
    }
}
