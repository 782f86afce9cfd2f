import ArticleAPI
package import ArticleResources
import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTP
public import BroadsheetHTTPServer
package import BroadsheetPlatform

/// Liveness and readiness, for supervisors and load balancers.
///
/// Safe to use from any thread.
public struct HealthService: Sendable {
    let store: any ArticleStore
    let publisher: Publisher
    /// True if the server is about to stop.
    let isDraining: Lock<Bool>
    /// Receives the reason why the store does not respond.
    let log: @Sendable (String) -> Void

    package init(
        store: any ArticleStore, publisher: Publisher, isDraining: Lock<Bool>,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.publisher = publisher
        self.isDraining = isDraining
        self.log = log
    }

    /// The same endpoints, which need no other part of the API.
    public func register(on routes: inout HTTPRouterBuilder) {
        routes.on(.get, "/livez", live)
        routes.on(.get, "/readyz", ready)
    }

    /// Returns the reason why balancers should send requests elsewhere, as a sentence for the log;
    /// `nil` if they need not.
    public func reasonNotReady() async -> String? {
        guard let error = await unreadiness() else { return nil }
        if case .unavailable(let cause) = error { return cause }
        return error.problem(instance: "").detail
    }

    /// Liveness only requires that the process can respond; the store is not involved.
    package func live(_: HTTPRequest, _: RequestContext) async -> HTTPResponse {
        Self.response(.ok, "ok")
    }

    package func ready(_: HTTPRequest, _ context: RequestContext) async -> HTTPResponse {
        guard let error = await unreadiness() else { return Self.response(.ok, "ready") }
        return error.response(to: context.requestID, log: log)
    }

    private func unreadiness() async -> ServiceError? {
        guard !isDraining.withLock({ $0 }) else { return .stopping }
        guard store.node.isCurrent else { return .outdated(store.node) }
        do throws(StoreError) { _ = try await store.changeSequence() } catch {
            return ServiceError(error)
        }
        return publisher.hasCaughtUp ? nil : .starting
    }

    private static func response(_ status: HTTPStatus, _ word: String) -> HTTPResponse {
        HTTPResponse(
            status,
            fields: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .bytes(Array("\(word)\n".utf8)))
    }
}
