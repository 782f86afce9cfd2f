import CBroadsheetIDN

/// The hosts of URLs.
enum HostName {
    /// Bytes of a host: that of 253 letters of any script.
    private static let limitBytes = 1_012

    /// The host in ASCII and lower case, as it is looked up: `bücher.example` is
    /// `xn--bcher-kva.example` (UTS #46, `idn2_lookup_u8`).
    ///
    /// `nil` if it is empty or too long, or has characters that no host may have.
    static func ascii(_ host: String) -> String? {
        guard !host.isEmpty, host.utf8.count <= limitBytes, let host = decoded(host) else {
            return nil
        }
        let isLiteral =
            host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
        // An address of IPv6 (RFC 3986, 3.2.2).
        guard !isLiteral || host.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let plain = isLiteral ? host.filter { !"[:]".contains($0) } : host
        // The look-up would end at NUL, and characters that it maps may become forbidden.
        guard !plain.utf8.contains(where: isForbidden),
            let name = plain.utf8.allSatisfy({ $0 < 0x80 }) ? plain : lookup(plain),
            !name.isEmpty, !name.utf8.contains(where: isForbidden)
        else { return nil }
        return isLiteral ? host.lowercased() : name.lowercased()
    }

    /// The only place that handles libidn2's error convention: another code than `IDN2_OK`.
    private static func lookup(_ host: String) -> String? {
        var name: UnsafeMutablePointer<UInt8>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        let code = Array(host.utf8 + [0]).withUnsafeBufferPointer {
            idn2_lookup_u8($0.baseAddress, &name, flags)
        }
        defer { idn2_free(name) }
        guard code == IDN2_OK.rawValue, let name else { return nil }
        return String(cString: name)
    }

    /// Without percent-encoding; `nil` if that is not UTF-8.
    private static func decoded(_ host: String) -> String? {
        guard host.utf8.contains(UInt8(ascii: "%")) else { return host }
        var bytes: [UInt8] = []
        var rest = Array(host.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, rest.prefix(2).allSatisfy({ Character(.init($0)).isHexDigit }),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The forbidden domain code points of the URL Standard, NUL among them, and four more that no
    /// host has.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "#%/:<>?@[\\]^`{|}\"".utf8.contains(byte)
    }
}
