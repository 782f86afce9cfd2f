import ArticleServiceCore
import BroadsheetHTTPServer
import BroadsheetPlatform
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
