package import ArticleAPI
package import ArticleServiceCore
import ArticleStore
package import BroadsheetHTTP
public import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Credentials that are no longer valid, or allow other things than before.
package enum AccessRevocation: Sendable, Hashable {
    /// The key, or the operator's session of the console, with this public id.
    case key(String)
    /// The session of the console with this public id, in which a key acts; the key stays valid.
    case keySession(String, of: String)
    /// One session of a user.
    case session(String, of: User.ID)
    /// All sessions of a user, or all but one.
    case sessions(of: User.ID, except: String?)
    /// All that are not known to be valid still.
    case all
}

/// Authenticates requests by the key or the access token that they carry.
///
/// The end of access takes effect at once: the next request is rejected, and observers are
/// notified, which end open streams. Safe to use from any thread.
public final class Authenticator: Sendable {
    package let keys: KeyRing
    package let sessions: SessionCache
    package let console: ConsoleSessions
    private let system: SystemEnvironment

    package init(keys: KeyRing, sessions: SessionCache, system: SystemEnvironment) {
        self.keys = keys
        self.sessions = sessions
        self.system = system
        console = ConsoleSessions(keys: keys, system: system)
    }

    /// The sender of these fields (`Authorization: Bearer …`, RFC 6750 §2.1).
    ///
    /// Invalid credentials are rejected even where none are required.
    package func principal(
        of fields: HTTPFields, _ context: RequestContext
    ) async throws(ServiceError) -> Principal {
        guard let credentials = try BearerCredentials.text(in: fields) else { return .anonymous }
        return try await principal(of: credentials, fields, context)
    }

    /// The sender of these credentials.
    ///
    /// - Parameter fields: those of the request.
    package func principal(
        of credentials: String, _ fields: HTTPFields, _ context: RequestContext
    ) async throws(ServiceError) -> Principal {
        if let token = AccessToken(credentials) {
            return try await sessions.principal(of: token, context)
        }
        if let token = ConsoleToken(credentials) {
            return try console.principal(
                of: token, isLocal: ConsoleSessions.isLocal(fields, context))
        }
        return try keys.principal(of: credentials)
    }

    /// Calls the observer when credentials end, from now on.
    package func observe(_ observer: @escaping @Sendable (AccessRevocation) -> Void) {
        keys.observe(observer)
        sessions.observe(observer)
        console.observe(observer)
    }

    /// Returns true if the principal still has the rights with which it was authenticated.
    package func isCurrent(_ principal: Principal) async -> Bool {
        switch principal.kind {
        case .anonymous, .operatorKey, .controlSocket: true
        case .key: keys.isCurrent(principal) && console.isCurrent(principal)
        case .operatorSession: console.isCurrent(principal)
        case .session: await sessions.isCurrent(principal)
        }
    }

    /// Returns true if the credentials have expired.
    package func isExpired(_ principal: Principal) -> Bool { principal.isExpired(at: system.now) }

    /// The user was changed: the keys that act for the user, and the sessions, allow other things.
    ///
    /// - Parameter kept: The session that has not ended.
    func userChanged(_ user: UserRecord, keeping kept: String? = nil) {
        keys.admit(user)
        sessions.endAll(of: user.id, except: kept)
    }

    /// The user was deleted.
    func userDeleted(_ user: User.ID) {
        keys.remove(user)
        sessions.endAll(of: user, except: nil)
    }
}

extension Authenticator: PublicReaders {
    public func reader(of authorization: borrowing Span<UInt8>) -> PublicReader? {
        guard let (kind, number) = BearerCredentials.number(in: authorization) else { return nil }
        return switch kind {
        case .key: keys.reader(number, authorization)
        case .session: sessions.reader(number, authorization)
        }
    }
}

/// The credentials in `Authorization`.
package enum BearerCredentials {
    enum Kind { case key, session }

    /// The key or token in `Authorization`; `nil` if the request has no such field.
    package static func text(in fields: HTTPFields) throws(ServiceError) -> String? {
        guard fields.contains(.authorization) else { return nil }
        guard let text = fields.withOnlyBytes(of: .authorization, text) ?? nil else {
            throw .unauthenticated(.malformed)
        }
        return text
    }

    /// Returns the text after the scheme `Bearer`; `nil` for another scheme.
    private static func text(in authorization: borrowing Span<UInt8>) -> String? {
        let scheme = "bearer"
        guard authorization.count > scheme.utf8.count else { return nil }
        var start = 0
        for byte in scheme.utf8 {
            guard authorization[start] | 0x20 == byte else { return nil }
            start += 1
        }
        guard authorization[start] == UInt8(ascii: " ") else { return nil }
        // RFC 9110 §11.4: one or more spaces precede the credentials.
        while start < authorization.count, authorization[start] == UInt8(ascii: " ") { start += 1 }
        return authorization.extracting(start...).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self).streamSafe
        }
    }

    /// The text before the kind of token, and the length of the field's value: `Bearer`, one space
    /// and 64 bytes.
    private static let start: StaticString = "bearer bs"
    private static let length = 71

    /// The public id of a key or session as a number, if the credentials have the usual form;
    /// otherwise `nil`. The rest is not checked.
    static func number(in authorization: borrowing Span<UInt8>) -> (Kind, UInt64)? {
        guard authorization.count == length else { return nil }
        for index in 0..<start.utf8CodeUnitCount {
            // This bit distinguishes lower-case from upper-case letters; it is set in a space.
            guard authorization[index] | 0x20 == start.utf8Start[index] else { return nil }
        }
        let kind: Kind
        switch authorization[9] {
        case UInt8(ascii: "k"): kind = .key
        case UInt8(ascii: "a"): kind = .session
        default: return nil
        }
        var number: UInt64 = 0
        // Invariant: `number` contains the digits before `index`.
        for index in 11..<27 {
            switch authorization[index] {
            case let digit where 48...57 ~= digit: number = number << 4 | UInt64(digit - 48)
            case let digit where 97...102 ~= digit: number = number << 4 | UInt64(digit - 87)
            default: return nil
            }
        }
        return (kind, number)
    }
}
