import ArticleStore
import HTTP
import HTTPServer
import Platform

/// Liveness and readiness endpoints for supervisors and load balancers.
struct HealthService: Sendable {
    let store: any ArticleStore
    let publisher: Publisher
    /// Whether the server is about to stop.
    let isDraining: Lock<Bool>
    /// Receives the reason why the store does not respond.
    let log: @Sendable (String) -> Void

    func register(on routes: inout Routes) {
        // Liveness only requires that the process can respond; the store is not involved.
        routes.on(.get, "/livez") { _, _ in Self.response(.ok, "ok") }
        routes.on(.get, "/readyz") { [store, publisher, isDraining, log] _, context in
            do throws(StoreError) {
                guard !isDraining.withLock({ $0 }) else {
                    return ServiceError.stopping.response(to: context.requestID, log: log)
                }
                guard store.node.isCurrent else {
                    return ServiceError.behind.response(to: context.requestID, log: log)
                }
                _ = try await store.changeSequence()
                guard publisher.hasCaughtUp else {
                    return ServiceError.starting.response(to: context.requestID, log: log)
                }
                return Self.response(.ok, "ready")
            } catch {
                return ServiceError(error).response(to: context.requestID, log: log)
            }
        }
    }

    private static func response(_ status: HTTPStatus, _ word: String) -> HTTPResponse {
        HTTPResponse(
            status,
            fields: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .bytes(Array("\(word)\n".utf8)))
    }
}
