import BroadsheetPlatform
import CBroadsheetOpenSSL
import Glibc

/// The keys that encrypt session tickets (RFC 8446 §4.6.1, RFC 5077). They rotate every hour and
/// those of the last two hours still decrypt, so that a stolen key reveals little.
final class TicketKeys: Sendable {
    private struct Key {
        var name = [UInt8](repeating: 0, count: 16)
        var cipher = [UInt8](repeating: 0, count: 32)
        var authentication = [UInt8](repeating: 0, count: 32)
        var madeAt: Int64 = 0
    }

    private let keys = Lock<[Key]>([])
    private let system: SystemEnvironment
    // A fetched algorithm is reference-counted and immutable (EVP_CIPHER_fetch(3)).
    private nonisolated(unsafe) let cipher: OpaquePointer?

    private static let rotationSeconds: Int64 = 3_600
    private static let kept = 3
    /// The lifetime of a ticket, which is sent to clients.
    static let lifetimeSeconds = 7_200

    init(_ system: SystemEnvironment) {
        self.system = system
        cipher = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    }

    deinit { EVP_CIPHER_free(cipher) }

    /// Monotonic seconds.
    private func now() -> Int64 { system.monotonicNanoseconds() / 1_000_000_000 }

    /// The callback of `SSL_CTX_set_tlsext_ticket_key_evp_cb(3)`: 1 with both contexts ready, 2 if
    /// the ticket should be renewed, 0 if no key fits, -1 for a failure.
    func prepare(
        name: UnsafeMutablePointer<UInt8>, vector: UnsafeMutablePointer<UInt8>,
        cipherContext: OpaquePointer, authenticationContext: OpaquePointer, seals: Bool
    ) -> Int32 {
        if seals {
            guard let key = current(), RAND_bytes(vector, 16) == 1 else { return -1 }
            name.update(from: key.name, count: 16)
            guard
                EVP_EncryptInit_ex2(cipherContext, cipher, key.cipher, vector, nil) == 1,
                Self.set(key.authentication, on: authenticationContext)
            else { return -1 }
            return 1
        }
        guard let (key, isNewest) = find(UnsafeBufferPointer(start: name, count: 16)) else {
            return 0
        }
        guard
            EVP_DecryptInit_ex2(cipherContext, cipher, key.cipher, vector, nil) == 1,
            Self.set(key.authentication, on: authenticationContext)
        else { return -1 }
        return isNewest ? 1 : 2
    }

    private static func set(_ secret: [UInt8], on context: OpaquePointer) -> Bool {
        broadsheet_mac_set_key(context, secret, secret.count) == 1
    }

    // MARK: Rotation

    /// The newest key, created when the last one is too old; `nil` if randomness fails.
    private func current() -> Key? {
        let now = now()
        return keys.withLock { keys in
            if let first = keys.first, now - first.madeAt < Self.rotationSeconds { return first }
            var key = Key()
            guard RAND_bytes(&key.name, 16) == 1, RAND_priv_bytes(&key.cipher, 32) == 1,
                RAND_priv_bytes(&key.authentication, 32) == 1
            else { return nil }
            key.madeAt = now
            keys.insert(key, at: 0)
            if keys.count > Self.kept { keys.removeLast() }
            return key
        }
    }

    private func find(_ name: UnsafeBufferPointer<UInt8>) -> (key: Key, isNewest: Bool)? {
        let now = now()
        return keys.withLock { keys in
            guard let index = keys.firstIndex(where: { $0.name.elementsEqual(name) }) else {
                return nil
            }
            // Without new tickets no key is created, so old keys also expire by age.
            let age = now - keys[index].madeAt
            guard age < Self.rotationSeconds + Int64(Self.lifetimeSeconds) else { return nil }
            return (keys[index], index == 0 && age < Self.rotationSeconds)
        }
    }
}
