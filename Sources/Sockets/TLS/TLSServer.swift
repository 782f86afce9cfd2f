import COpenSSL
import Glibc

/// A certificate chain and its private key, in PEM (RFC 7468).
public struct CertificateAndKey: Sendable {
    /// The server's own certificate first, then those that lead to an authority.
    public let certificate: [UInt8]
    public let key: [UInt8]

    public init(certificate: [UInt8], key: [UInt8]) {
        self.certificate = certificate
        self.key = key
    }
}

/// Why certificates cannot be served.
public struct TLSConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Part: Sendable, Hashable {
        case certificate, key
    }

    /// Which pair is wrong, and which part of it; `nil`: none alone.
    public let place: (pair: Int, part: Part)?
    public let reason: String

    init(_ reason: String, at place: (pair: Int, part: Part)? = nil) {
        self.reason = reason
        self.place = place
    }

    public var description: String { reason }

    public static func == (left: Self, right: Self) -> Bool {
        left.reason == right.reason && left.place?.pair == right.place?.pair
            && left.place?.part == right.place?.part
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(reason) }
}

/// The server's side of TLS: what it shows to which client. Certificates can be replaced while it
/// serves; connections that stand keep theirs.
public final class TLSServer: Sendable {
    private let profile: TLSProfile
    private let protocols: [String]
    private let tickets: TicketKeys
    private let material: Lock<Material>

    /// - Parameters:
    ///   - pairs: at least one. Of those that a client's server name fits, the first of each kind
    ///     of key is shown; the first pair where none fits.
    ///   - protocols: what it speaks inside, for ALPN (RFC 7301), best first.
    public convenience init(
        _ pairs: [CertificateAndKey], profile: TLSProfile = .intermediate, protocols: [String]
    ) throws(TLSConfigurationError) {
        try self.init(
            pairs, profile: profile, protocols: protocols, ticketClock: Self.monotonicSeconds)
    }

    /// - Parameter ticketClock: the seconds by which the keys of session tickets grow old.
    package init(
        _ pairs: [CertificateAndKey], profile: TLSProfile = .intermediate, protocols: [String],
        ticketClock: @escaping @Sendable () -> Int64
    ) throws(TLSConfigurationError) {
        self.profile = profile
        self.protocols = protocols
        tickets = TicketKeys(now: ticketClock)
        material = Lock(try Material(pairs, profile, protocols, tickets))
    }

    /// Shows these to connections from now on; if something is wrong with them, nothing changes.
    public func replace(_ pairs: [CertificateAndKey]) throws(TLSConfigurationError) {
        let new = try Material(pairs, profile, protocols, tickets)
        material.withLock { $0 = new }
    }

    /// What there is to know of a certificate that is shown.
    public struct Certificate: Sendable, Hashable {
        /// SHA-256 of the whole (`X509_digest`): no two certificates share it.
        public let fingerprint: [UInt8]
        /// The first and the last second, since 1970.
        public let validity: ClosedRange<Int64>
    }

    /// The server's own certificate of each pair.
    public var certificates: [Certificate] { current.identities.map(\.facts) }

    private var current: Material { material.withLock { $0 } }

    func makeSession(_ wires: TLSRecordBuffers) throws(TLSFailure) -> TLSSession {
        let material = current
        let session = try material.standard.makeSession(wires, of: material)
        session.withSSL { SSL_set_accept_state($0) }
        return session
    }

    private static let monotonicSeconds: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec)
    }
}
