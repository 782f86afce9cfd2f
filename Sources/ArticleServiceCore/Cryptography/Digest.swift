import CBroadsheetOpenSSL

/// SHA-256 and HMAC, from OpenSSL's libcrypto.
public enum Digest {
    /// Fetched once, as `EVP_sha256` would look up the implementation on each use (`EVP_MD_fetch`).
    private static let algorithm = Algorithm()

    // Safe to share: a fetched algorithm is immutable and lives as long as the program.
    private struct Algorithm: @unchecked Sendable {
        let handle = EVP_MD_fetch(nil, "SHA256", nil)
    }

    /// SHA-256 of the bytes: 32 bytes (`EVP_Digest`).
    public static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let input = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            var length: UInt32 = 0
            let code = EVP_Digest(
                input, input.count, output.baseAddress, &length, algorithm.handle, nil)
            // Programmer error: SHA-256 is in every build of libcrypto and takes any bytes.
            precondition(code == 1 && length == 32, "EVP_Digest failed")
            count = 32
        }
    }

    /// HMAC-SHA-256 (RFC 2104): 32 bytes (`HMAC`).
    package static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            var length: UInt32 = 0
            let made = HMAC(
                algorithm.handle, key, Int32(key.count), bytes, bytes.count, output.baseAddress,
                &length)
            // Programmer error: HMAC over SHA-256 takes any key and any bytes.
            precondition(made != nil && length == 32, "HMAC failed")
            count = 32
        }
    }

    /// Returns true if both contain the same bytes, in a time that only depends on their lengths
    /// (`CRYPTO_memcmp`).
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    package static func areEqual(_ left: borrowing Span<UInt8>, _ right: [UInt8]) -> Bool {
        left.count == right.count
            && left.withUnsafeBufferPointer { CRYPTO_memcmp($0.baseAddress, right, right.count) }
                == 0
    }
}

/// Text encodings of bytes: lower-case hexadecimal, base64 (RFC 4648 §4), and base64url without
/// padding (RFC 4648 §5).
package enum ByteText {
    package static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            var position = 0
            for byte in bytes {
                text[position] = digit(byte >> 4)
                text[position + 1] = digit(byte & 0xF)
                position += 2
            }
            return position
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    package static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func base64(_ bytes: [UInt8]) -> String {
        let text = base64URL(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    }

    /// The decoded bytes, of text with or without padding; `nil` for invalid characters, wrong
    /// padding or non-zero trailing bits.
    package static func bytes(base64 text: String) -> [UInt8]? {
        let digits = text.filter { $0 != "=" }
        let urlDigits = String(digits.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        guard let bytes = bytes(base64URL: urlDigits) else { return nil }
        // Only the output of encoding is accepted.
        let encoded = base64(bytes)
        return text == encoded || text == digits && encoded.hasPrefix(digits) ? bytes : nil
    }

    package static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var bits = 0
        // Invariant: the low `bits` bits of `pending` are read but not yet written, fewer than 6.
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(pending >> UInt32(bits) & 0x3F)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(pending << UInt32(6 - bits) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The decoded bytes; `nil` for invalid characters, padding or non-zero trailing bits.
    package static func bytes(base64URL text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        // Invariant: the low `bits` bits of `pending` are read but not yet written, fewer than 8.
        for letter in text.utf8 {
            guard let value = value(of: letter) else { return nil }
            pending = pending << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        guard bits < 6, pending & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
