import ArticleServiceCore
import BroadsheetHTTPServer
import BroadsheetPlatform
import CBroadsheetSodium
import Glibc

/// Hashes and verifies passwords, at most `width` at a time.
///
/// Each takes some 30 ms of a core and 19 MiB, so they run on threads of the lowest priority but
/// for one, with which people can sign in however busy the server is, and clients take turns. If
/// too many wait, the request is rejected (503); a request that is cancelled leaves the queue. No
/// network can fill the queue, nor can any number of them keep out those who have signed in before:
/// a quarter of the places is reserved for these. Safe to use from any thread.
package final class PasswordHasher: Sendable {
    /// The server cannot start: libsodium could not be initialised.
    package struct Unavailable: Error, Sendable {}

    /// The result of comparing a password with that of an account.
    enum Verification: Sendable, Hashable {
        case wrong
        /// - Parameter newHash: To be stored instead of the old one, which has another cost.
        case correct(newHash: String?)
    }

    /// One hash for each two cores, so that requests always have others.
    static var defaultWidth: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2) }

    private let algorithm: PasswordHash
    private let pool: BackgroundPool
    private let whenHashing: @Sendable () -> Void

    /// - Parameters:
    ///   - width: The maximum hashes computed at a time.
    ///   - depth: The maximum that wait; 64 take about 2 s at a width of 1.
    convenience init(
        width: Int = PasswordHasher.defaultWidth, depth: Int = 64
    ) throws(Unavailable) {
        try self.init(width: width, depth: depth, cost: .recommended)
    }

    /// - Parameter whenHashing: Called on the hash's thread before it is computed.
    init(
        width: Int, depth: Int, cost: PasswordHash.Cost,
        whenHashing: @escaping @Sendable () -> Void = {}
    ) throws(Unavailable) {
        guard PasswordHash.isAvailable else { throw Unavailable() }
        algorithm = PasswordHash(cost: cost)
        pool = BackgroundPool(width: width, depth: depth, reserved: depth / 4, isPrompt: true)
        self.whenHashing = whenHashing
    }

    /// The number of passwords that wait for a thread.
    package var waiting: Int { pool.waiting }

    /// The number of passwords that are being hashed or verified.
    package var running: Int { pool.running }

    /// A new hash of the password, to be stored.
    ///
    /// - Parameter client: Takes turns with others.
    func hash(
        _ password: Password, for client: BackgroundPool.Client
    ) async throws(ServiceError) -> String {
        try await run(for: client) { [self] () throws(PasswordHash.Failure) in
            whenHashing()
            return try algorithm.hash(password)
        }
    }

    /// Verifies the password.
    ///
    /// - Parameters:
    ///   - hash: The account's hash; `nil` if the account does not exist or has no password. The
    ///     result is then `.wrong`, after the same amount of work.
    ///   - client: Takes turns with others.
    func verify(
        _ password: Password, against hash: String?, for client: BackgroundPool.Client
    ) async throws(ServiceError) -> Verification {
        try await run(for: client) { [self] () throws(PasswordHash.Failure) in
            whenHashing()
            let isEqual = try algorithm.verify(
                password, against: hash ?? algorithm.ofNoPassword)
            guard let hash, isEqual else { return .wrong }
            guard algorithm.isOutdated(hash) else { return .correct(newHash: nil) }
            whenHashing()
            return .correct(newHash: try algorithm.hash(password))
        }
    }

    private func run<Result: Sendable>(
        for client: BackgroundPool.Client,
        _ work: @escaping @Sendable () throws(PasswordHash.Failure) -> Result
    ) async throws(ServiceError) -> Result {
        let outcome: Swift.Result<Result, PasswordHash.Failure>
        do throws(BackgroundPool.Failure) {
            outcome = try await pool.run(for: client) { () -> Swift.Result in
                do throws(PasswordHash.Failure) {
                    return .success(try work())
                } catch { return .failure(error) }
            }
        } catch { throw .busy }
        switch outcome {
        case .success(let result): return result
        case .failure(let failure): throw .unavailable(cause: failure.cause)
        }
    }
}

extension BackgroundPool.Client {
    /// The client of a request.
    ///
    /// - Parameter isKnown: True if it has signed in to the account before.
    init(_ context: RequestContext, isKnown: Bool = false) {
        self.init(networks: context.clientNetworks, isKnown: isKnown)
    }
}

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
