public import BroadsheetPlatform
import CBroadsheetOpenSSL
import Glibc

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

/// The reason why certificates cannot be used.
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
    ///   - system: Has the monotonic clock by which the keys of session tickets expire.
    public init(
        _ pairs: [CertificateAndKey], profile: TLSProfile = .intermediate, protocols: [String],
        system: SystemEnvironment
    ) throws(TLSConfigurationError) {
        self.profile = profile
        self.protocols = protocols
        tickets = TicketKeys(system)
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
}

extension TLSServer {
    /// An immutable set of certificates that is ready for use; sessions keep theirs.
    final class Material: Sendable {
        let identities: [TLSIdentity]
        /// For clients that send no server name, or an unknown one.
        let defaultContext: TLSContext
        private let contexts: [String: TLSContext]
        private let protocols: [[UInt8]]
        private let tickets: TicketKeys

        /// Maximum number of pairs.
        private static let limit = 64

        init(
            _ pairs: [CertificateAndKey], _ profile: TLSProfile, _ protocols: [String],
            _ tickets: TicketKeys
        ) throws(TLSConfigurationError) {
            guard (1...Self.limit).contains(pairs.count) else {
                throw TLSConfigurationError("1 to \(Self.limit) certificates are required")
            }
            var identities: [TLSIdentity] = []
            for (index, pair) in pairs.enumerated() {
                identities.append(try Self.identity(pair, index))
            }
            var maker = ContextFactory(identities: identities, profile: profile)
            var contexts: [String: TLSContext] = [:]
            for name in Set(identities.flatMap(\.names)) {
                contexts[name] = try maker.context { $0.names.contains(name) }
            }
            let first = identities[0]
            defaultContext = try maker.context {
                $0 === first || !Set($0.names).isDisjoint(with: first.names)
            }
            self.identities = identities
            self.contexts = contexts
            self.protocols = protocols.map { Array($0.utf8) }
            self.tickets = tickets
        }

        private static func identity(
            _ pair: CertificateAndKey, _ index: Int
        ) throws(TLSConfigurationError) -> TLSIdentity {
            do throws(TLSIdentityError) {
                return try TLSIdentity(certificate: pair.certificate, key: pair.key)
            } catch {
                switch error {
                case .badCertificate(let reason):
                    throw TLSConfigurationError(
                        "contains no PEM certificate chain (\(reason))", at: (index, .certificate))
                case .badKey(let reason):
                    throw TLSConfigurationError(
                        "contains no unencrypted PEM private key (\(reason))",
                        at: (index, .key))
                case .keyOfAnother:
                    throw TLSConfigurationError(
                        "does not match the certificate", at: (index, .key))
                }
            }
        }

        // MARK: Asked by OpenSSL

        /// The context for the server name that a client sends (RFC 6066 §3): an exact match takes
        /// precedence over a wildcard for its first label (RFC 6125 §6.4.3).
        func context(for name: String) -> TLSContext? {
            let name = name.lowercased()
            if let exact = contexts[name] { return exact }
            guard let dot = name.firstIndex(of: ".") else { return nil }
            return contexts["*" + name[dot...]]
        }

        /// The server's most preferred protocol that the client offers, as a range of the client's
        /// length-prefixed list.
        func agreed(_ offered: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
            var found: (rank: Int, range: Range<Int>)?
            var next = 0
            while next < offered.count {
                let end = next + 1 + Int(offered[next])
                guard end <= offered.count else { return nil }
                let rank = protocols.firstIndex { $0.elementsEqual(offered[(next + 1)..<end]) }
                if let rank, rank < found?.rank ?? .max { found = (rank, (next + 1)..<end) }
                next = end
            }
            return found?.range
        }

        func prepareTicket(
            name: UnsafeMutablePointer<UInt8>, vector: UnsafeMutablePointer<UInt8>,
            cipherContext: OpaquePointer, authenticationContext: OpaquePointer, seals: Bool
        ) -> Int32 {
            tickets.prepare(
                name: name, vector: vector, cipherContext: cipherContext,
                authenticationContext: authenticationContext, seals: seals)
        }
    }

    /// Creates one context for each set of identities that are used together.
    private struct ContextFactory {
        let identities: [TLSIdentity]
        let profile: TLSProfile
        private var made: [[Int]: TLSContext] = [:]

        init(identities: [TLSIdentity], profile: TLSProfile) {
            self.identities = identities
            self.profile = profile
        }

        /// The context with the first of the matching identities for each type of key.
        mutating func context(
            _ fits: (TLSIdentity) -> Bool
        ) throws(TLSConfigurationError) -> TLSContext {
            var kinds: Set<Int32> = []
            let indices = identities.indices.filter {
                fits(identities[$0]) && kinds.insert(identities[$0].keyKind).inserted
            }
            if let context = made[indices] { return context }
            do throws(TLSContextError) {
                let context = try TLSContext(TLS_server_method(), profile: profile)
                try context.configure { raw in
                    TLSServer.setUp(raw) && indices.allSatisfy { identities[$0].install(in: raw) }
                }
                made[indices] = context
                return context
            } catch {
                throw TLSConfigurationError(
                    "cannot be used: \(error.reason)", at: (indices.first ?? 0, .certificate))
            }
        }
    }
}

extension TLSServer {
    /// Installs the callbacks of the handshake, which use the session's certificates.
    static func setUp(_ context: OpaquePointer) -> Bool {
        broadsheet_ssl_on_server_name(context) { ssl, _, _ in
            guard let ssl, let material = TLSSession.of(ssl)?.server,
                let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name),
                let chosen = material.context(for: String(cString: name))
            else { return SSL_TLSEXT_ERR_NOACK }
            chosen.take(over: ssl)
            return SSL_TLSEXT_ERR_OK
        }
        SSL_CTX_set_alpn_select_cb(
            context,
            { ssl, chosen, chosenLength, offered, offeredLength, _ in
                let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
                // Without a common protocol the handshake fails (RFC 7301 §3.2).
                guard let offered, let range = TLSSession.of(ssl)?.server?.agreed(list) else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                chosen?.pointee = offered + range.lowerBound
                chosenLength?.pointee = UInt8(range.count)
                return SSL_TLSEXT_ERR_OK
            }, nil)
        SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { ssl, name, vector, cipher, mac, seals in
            guard let material = TLSSession.of(ssl)?.server, let name, let vector, let cipher,
                let mac
            else { return -1 }
            return material.prepareTicket(
                name: name, vector: vector, cipherContext: cipher, authenticationContext: mac,
                seals: seals == 1)
        }
        SSL_CTX_set_timeout(context, TicketKeys.lifetimeSeconds)
        // Selects DHE groups that match the strength of the certificate's key
        // (`SSL_CTX_set_dh_auto`).
        _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_DH_AUTO, 1, nil)
        let scope = Array("broadsheet".utf8)
        return SSL_CTX_set_session_id_context(context, scope, UInt32(scope.count)) == 1
    }
}
