public import ArticleAPI
package import ArticleAccounts
package import ArticleServiceCore
import BroadsheetHTTP
import BroadsheetPlatform

/// Makes links with which the operator signs in to the console once, on this machine.
///
/// Only the control socket offers them. Safe to use from any thread.
public final class ConsoleLinks: Sendable {
    private let sessions: ConsoleSessions
    private let origin = Lock<String?>(nil)

    package init(_ sessions: ConsoleSessions) { self.sessions = sessions }

    /// The server listens on a loopback address: `http://127.0.0.1:8080`.
    public func serves(at origin: String) { self.origin.withLock { $0 = origin } }

    /// A new link; `nil` if no loopback address is served.
    public func link() -> ConsoleLink? {
        guard let origin = origin.withLock({ $0 }) else { return nil }
        let (text, expiresAt) = sessions.makeLink()
        // Browsers do not send the fragment to any server.
        return ConsoleLink(url: "\(origin)/console#token=\(text)", expiresAt: expiresAt)
    }

    package func create(
        _ request: CreateConsoleLinkRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ConsoleLink> {
        guard let link = link() else {
            throw .invalidValue("", "the server does not listen on a loopback address")
        }
        return Reply(link)
    }
}

/// `POST /v1/admin/console-links`, on the control socket alone: makes a link with which the
/// operator signs in.
public struct CreateConsoleLinkRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .post, "/v1/admin/console-links", name: "createConsoleLink",
        summary: "Makes a link that signs in to the console", access: .administer,
        success: .created, carriesSecrets: true)
    public typealias Item = ConsoleLink

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// A link with which the operator signs in to the console once.
public struct ConsoleLink: Sendable, Hashable {
    /// Secret: `http://127.0.0.1:8080/console#token=…`
    public var url: String
    public var expiresAt: Timestamp
}

extension ConsoleLink: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("url", \.url, .text(.lines(limitBytes: 1_000))),
        .required("expiresAt", \.expiresAt, .timestamp))
}
