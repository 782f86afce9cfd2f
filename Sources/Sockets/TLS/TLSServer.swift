import COpenSSL
import Glibc
import Platform

/// A certificate chain and its private key, in PEM (RFC 7468).
public struct CertificateAndKey: Sendable {
    /// The server's own certificate first, then the intermediates.
    public let certificate: [UInt8]
    public let key: [UInt8]

    public init(certificate: [UInt8], key: [UInt8]) {
        self.certificate = certificate
        self.key = key
    }
}

/// Why certificates cannot be used.
public struct TLSConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Part: Sendable, Hashable {
        case certificate, key
    }

    /// The invalid pair and its invalid part; `nil` if no single pair is to blame.
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

/// The server's side of TLS. Certificates can be replaced while it serves; established connections
/// keep theirs.
public final class TLSServer: Sendable {
    private let profile: TLSProfile
    private let protocols: [String]
    private let tickets: TicketKeys
    private let material: Lock<Material>

    /// - Parameters:
    ///   - pairs: At least one. Of the pairs that match a client's server name, the first for each
    ///     type of key is used; if none matches, the first pair.
    ///   - protocols: The application protocols for ALPN (RFC 7301), most preferred first.
    public convenience init(
        _ pairs: [CertificateAndKey], profile: TLSProfile = .intermediate, protocols: [String]
    ) throws(TLSConfigurationError) {
        try self.init(
            pairs, profile: profile, protocols: protocols, ticketClock: Self.monotonicSeconds)
    }

    /// - Parameter ticketClock: The clock, in seconds, by which the keys of session tickets expire.
    package init(
        _ pairs: [CertificateAndKey], profile: TLSProfile = .intermediate, protocols: [String],
        ticketClock: @escaping @Sendable () -> Int64
    ) throws(TLSConfigurationError) {
        self.profile = profile
        self.protocols = protocols
        tickets = TicketKeys(now: ticketClock)
        material = Lock(try Material(pairs, profile, protocols, tickets))
    }

    /// Uses these certificates for new connections; if one is invalid, nothing changes.
    public func replace(_ pairs: [CertificateAndKey]) throws(TLSConfigurationError) {
        let new = try Material(pairs, profile, protocols, tickets)
        material.withLock { $0 = new }
    }

    /// Information about a certificate in use.
    public struct Certificate: Sendable, Hashable {
        /// The SHA-256 fingerprint (`X509_digest`), which is unique.
        public let fingerprint: [UInt8]
        /// The first and the last second of its validity, since 1970.
        public let validity: ClosedRange<Int64>
    }

    /// The server's own certificate of each pair.
    public var certificates: [Certificate] { current.identities.map(\.facts) }

    private var current: Material { material.withLock { $0 } }

    func makeSession(_ wires: TLSRecordBuffers) throws(TLSFailure) -> TLSSession {
        let material = current
        let session = try material.defaultContext.makeSession(wires, of: material)
        session.withSSL { SSL_set_accept_state($0) }
        return session
    }

    private static let monotonicSeconds: @Sendable () -> Int64 = {
        SystemClock.monotonicNanoseconds / 1_000_000_000
    }
}
