import CBroadsheetOpenSSL
import FoundationEssentials

/// A key with which tests sign JSON Web Tokens.
public final class TestSigningKey: @unchecked Sendable {
    public enum Kind: Sendable {
        case p256, p384
        case rsa(bits: UInt32)
    }

    // `@unchecked`: a complete `EVP_PKEY` may be used by any thread, and is not changed.
    private let handle: OpaquePointer
    private let kind: Kind
    public let id: String

    public init(_ kind: Kind, id: String) throws(TestFailure) {
        let made =
            switch kind {
            case .p256: broadsheet_generate_ec("P-256")
            case .p384: broadsheet_generate_ec("P-384")
            case .rsa(let bits): broadsheet_generate_rsa(bits)
            }
        guard let made else { throw TestSession.lastFailure("EVP_PKEY_Q_keygen") }
        handle = made
        self.kind = kind
        self.id = id
    }

    deinit { EVP_PKEY_free(handle) }

    private var isRSA: Bool { if case .rsa = kind { true } else { false } }

    /// `ES256` or `RS256`.
    public var algorithm: String { isRSA ? "RS256" : "ES256" }

    // MARK: The public key

    /// The members of the JSON Web Key that are about the key itself, as JSON (RFC 7518 §6).
    public var parameters: String {
        switch kind {
        case .rsa:
            return #""kty":"RSA","n":"\#(Self.base64URL(number("n")))","#
                + #""e":"\#(Self.base64URL(number("e")))""#
        case .p256, .p384:
            let point = point.dropFirst()
            let half = point.count / 2
            let curve = half == 32 ? "P-256" : "P-384"
            return #""kty":"EC","crv":"\#(curve)","x":"\#(Self.base64URL(point.prefix(half)))","#
                + #""y":"\#(Self.base64URL(point.suffix(half)))""#
        }
    }

    /// The JSON Web Key with its id.
    public var publicKey: String { #"{"kid":"\#(id)","use":"sig",\#(parameters)}"# }

    private func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        EVP_PKEY_get_bn_param(handle, name, &number)
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    /// The uncompressed point: 4, x and y.
    private var point: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 133)
        var count = 0
        EVP_PKEY_get_octet_string_param(handle, "pub", &bytes, bytes.count, &count)
        return Array(bytes.prefix(count))
    }

    // MARK: Signatures

    /// A signature with SHA-256 as OpenSSL makes it: ASN.1 with elliptic curves.
    public func plainSignature(of bytes: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, handle, nil)
        var count = 0
        EVP_DigestSign(context, nil, &count, bytes, bytes.count)
        var signature = [UInt8](repeating: 0, count: count)
        EVP_DigestSign(context, &signature, &count, bytes, bytes.count)
        return Array(signature.prefix(count))
    }

    /// The signature of a JSON Web Token (RFC 7518 §3.4).
    public func signature(of bytes: [UInt8]) -> [UInt8] {
        let plain = plainSignature(of: bytes)
        guard !isRSA else { return plain }
        let (r, s) = Self.numbers(plain)
        return r + s
    }

    /// Another valid signature of the same bytes: with elliptic curves, −s is as good as s.
    public func otherSignature(of bytes: [UInt8]) -> [UInt8] {
        let (r, s) = Self.numbers(plainSignature(of: bytes))
        let order = BN_new()
        let number = BN_bin2bn(s, Int32(s.count), nil)
        defer {
            BN_free(order)
            BN_free(number)
        }
        // The order of P-256.
        var text: OpaquePointer? = order
        BN_hex2bn(&text, "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        BN_sub(number, order, number)
        var other = [UInt8](repeating: 0, count: 32)
        BN_bn2binpad(number, &other, 32)
        return r + other
    }

    /// The two numbers of a signature with an elliptic curve, of 32 bytes or more.
    private static func numbers(_ plain: [UInt8]) -> ([UInt8], [UInt8]) {
        plain.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            let pair = d2i_ECDSA_SIG(nil, &position, bytes.count)
            defer { ECDSA_SIG_free(pair) }
            func padded(_ number: OpaquePointer?) -> [UInt8] {
                var bytes = [UInt8](repeating: 0, count: max(32, Int(BN_num_bits(number) + 7) / 8))
                BN_bn2binpad(number, &bytes, Int32(bytes.count))
                return bytes
            }
            return (padded(ECDSA_SIG_get0_r(pair)), padded(ECDSA_SIG_get0_s(pair)))
        }
    }

    // MARK: Tokens

    /// A token with these claims, as JSON; the header names this key unless there is another one.
    public func token(header: String? = nil, _ claims: String) -> String {
        let header = header ?? #"{"alg":"\#(algorithm)","kid":"\#(id)","typ":"JWT"}"#
        let input = Self.base64URL(Array(header.utf8)) + "." + Self.base64URL(Array(claims.utf8))
        return input + "." + Self.base64URL(signature(of: Array(input.utf8)))
    }

    /// base64url without padding (RFC 4648 §5).
    public static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString().map { letter -> Character in
            switch letter {
            case "+": "-"
            case "/": "_"
            default: letter
            }
        }
        return String(text.filter { $0 != "=" })
    }
}
