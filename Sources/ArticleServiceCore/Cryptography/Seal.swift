import CBroadsheetOpenSSL

/// Deterministic authenticated encryption with AES-SIV (RFC 5297), from OpenSSL's libcrypto.
///
/// Equal texts with equal purposes have equal results, which disclose nothing else. Only texts that
/// were sealed with this secret for this purpose can be opened.
final class Seal: @unchecked Sendable {
    // `@unchecked`: contexts that are only copied may be used by any thread.
    /// Contexts with the key, to be copied: setting it takes three times as long.
    private let sealing = Context()
    private let opening = Context()

    /// Overhead of sealing, in bytes.
    static let overheadBytes = 16

    /// - Parameter secret: at least 32 bytes; the key is derived from it.
    init(secret: [UInt8]) {
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-SIV", nil) else {
            preconditionFailure("programmer error: AES-256-SIV is in every libcrypto since 3.0")
        }
        defer { EVP_CIPHER_free(cipher) }
        // Two keys of 256 bits: SIV uses one for authentication and one for encryption.
        let key = [1, 2].flatMap { Digest.hmac(Array("AES-256-SIV".utf8) + [$0], key: secret) }
        precondition(
            EVP_EncryptInit_ex2(sealing.handle, cipher, key, nil, nil) == 1
                && EVP_DecryptInit_ex2(opening.handle, cipher, key, nil, nil) == 1,
            "AES-SIV failed")
    }

    /// The 16-byte tag followed by the encrypted text.
    func seal(_ text: [UInt8], for purpose: String) -> [UInt8] {
        let context = Context(copying: sealing)
        var length: Int32 = 0
        let purpose = Array(purpose.utf8)
        var sealed = [UInt8](repeating: 0, count: text.count)
        var tag = [UInt8](repeating: 0, count: Self.overheadBytes)
        let isDone =
            EVP_EncryptUpdate(context.handle, nil, &length, purpose, Int32(purpose.count)) == 1
            && EVP_EncryptUpdate(context.handle, &sealed, &length, text, Int32(text.count)) == 1
            && EVP_CIPHER_CTX_ctrl(
                context.handle, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        // Programmer error: only an empty text or purpose cannot be sealed.
        precondition(isDone, "AES-SIV failed")
        return tag + sealed
    }

    /// The text; `nil` if it was not sealed for this purpose, or was modified.
    func open(_ sealed: [UInt8], for purpose: String) -> [UInt8]? {
        guard sealed.count > Self.overheadBytes, sealed.count < 1 << 20 else { return nil }
        let context = Context(copying: opening)
        var tag = Array(sealed.prefix(Self.overheadBytes))
        let encrypted = Array(sealed.dropFirst(Self.overheadBytes))
        let purpose = Array(purpose.utf8)
        var length: Int32 = 0
        var text = [UInt8](repeating: 0, count: encrypted.count)
        guard
            EVP_CIPHER_CTX_ctrl(
                context.handle, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            EVP_DecryptUpdate(context.handle, nil, &length, purpose, Int32(purpose.count)) == 1,
            EVP_DecryptUpdate(
                context.handle, &text, &length, encrypted, Int32(encrypted.count)) == 1
        else {
            // The failure is in the thread's error queue, where TLS would find it.
            ERR_clear_error()
            return nil
        }
        return text
    }

    /// The context for one operation (`EVP_CIPHER_CTX_new`).
    private struct Context: ~Copyable {
        let handle: OpaquePointer

        init() {
            guard let handle = EVP_CIPHER_CTX_new() else {
                preconditionFailure("programmer error: out of memory")
            }
            self.handle = handle
        }

        init(copying other: borrowing Context) {
            self.init()
            precondition(EVP_CIPHER_CTX_copy(handle, other.handle) == 1, "AES-SIV failed")
        }

        deinit { EVP_CIPHER_CTX_free(handle) }
    }
}

/// A secret that the operator chose, and that others know too: 32 to 200 printable ASCII
/// characters without spaces.
public struct SharedSecret: Sendable {
    package let bytes: [UInt8]

    public init?(_ text: String) {
        guard (32...200).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        bytes = Array(text.utf8)
    }

    /// The key that Standard Webhooks' libraries use: the base64 after `whsec_`, or else the bytes
    /// of the text.
    package var standardWebhooksKey: [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("whsec_"), let key = ByteText.bytes(base64: String(text.dropFirst(6)))
        else { return bytes }
        return key
    }
}
