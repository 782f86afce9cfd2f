import COpenSSL

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
            var maker = ContextMaker(identities: identities, profile: profile)
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
    private struct ContextMaker {
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
