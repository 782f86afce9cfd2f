import CBroadsheetSodium
import Glibc

/// Argon2id (RFC 9106) by libsodium. A hash is text that contains its salt and parameters:
/// `$argon2id$v=19$m=19456,t=2,p=1$…`
struct PasswordHash: Sendable {
    /// The cost of one hash: passes over the memory, and its bytes.
    struct Cost: Sendable, Hashable {
        let passes: UInt64
        let memoryBytes: Int

        /// OWASP's recommendation for Argon2id (Password Storage Cheat Sheet).
        static let recommended = Cost(passes: 2, memoryBytes: 19 << 20)
    }

    /// The reason why libsodium did not compute a hash.
    struct Failure: Error, Sendable {
        let cause: String
    }

    package let cost: Cost

    /// True if libsodium could be initialised (`sodium_init`), which is done once.
    static let isAvailable = sodium_init() >= 0

    /// An arbitrary hash at the usual cost, of an unknown password.
    var ofNoPassword: String {
        let parameters = "m=\(cost.memoryBytes >> 10),t=\(cost.passes),p=1"
        return "$argon2id$v=19$\(parameters)$AAECAwQFBgcICQoLDA0ODw"
            + "$KioqKioqKioqKioqKioqKioqKioqKioqKioqKioqKio"
    }

    /// A new hash with a random salt (`crypto_pwhash_str_alg`).
    func hash(_ password: Password) throws(Failure) -> String {
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let code = password.withBytes { bytes in
            crypto_pwhash_str_alg(
                &text, Self.start(of: bytes), UInt64(bytes.count), cost.passes, cost.memoryBytes,
                crypto_pwhash_ALG_ARGON2ID13)
        }
        // The only other reason is a password of more than 4 GiB.
        guard code == 0 else { throw Failure(cause: "no memory for a password's hash") }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns true if the hash is of this password (`crypto_pwhash_str_verify`).
    func verify(_ password: Password, against hash: String) throws(Failure) -> Bool {
        try Self.check(hash)
        let (code, reason) = password.withBytes { bytes in
            errno = 0
            let code = crypto_pwhash_str_verify(hash, Self.start(of: bytes), UInt64(bytes.count))
            return (code, errno)
        }
        // libsodium reports a different password as EINVAL; damage and a lack of memory otherwise.
        guard code == 0 || reason == EINVAL else {
            throw Failure(cause: "a password's hash is damaged, or memory is short (\(reason))")
        }
        return code == 0
    }

    /// Returns true if the hash was made at a different cost (`crypto_pwhash_str_needs_rehash`).
    func isOutdated(_ hash: String) -> Bool {
        crypto_pwhash_str_needs_rehash(hash, cost.passes, cost.memoryBytes) != 0
    }

    private static func check(_ hash: String) throws(Failure) {
        guard hash.hasPrefix(crypto_pwhash_argon2id_STRPREFIX),
            hash.utf8.count < crypto_pwhash_STRBYTES
        else { throw Failure(cause: "a password's hash is not one of Argon2id") }
    }

    /// libsodium accepts no null pointer, not even for an empty password.
    private static func start(of bytes: UnsafeBufferPointer<CChar>) -> UnsafePointer<CChar> {
        // Programmer error: a password's memory is allocated, even if it is empty.
        guard let start = bytes.baseAddress else { preconditionFailure("no memory") }
        return start
    }
}
