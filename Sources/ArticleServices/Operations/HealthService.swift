public import ArticleStore
import HTTP
import HTTPServer

/// Whether the process lives, and whether it can serve: what supervisors and balancers ask.
public struct HealthService: Sendable {
    let store: any ArticleStore
    let log: @Sendable (String) -> Void

    /// - Parameter log: takes why the server is not ready.
    public init(store: any ArticleStore, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.log = log
    }

    func register(on routes: inout Routes) {
        // Alive is who can answer at all: no store, nothing else.
        routes.on(.get, "/livez") { _, _ in Self.answer(.ok, "ok") }
        routes.on(.get, "/readyz") { [store, log] _, context in
            do throws(StoreError) {
                _ = try await store.changeSequence()
                return Self.answer(.ok, "ready")
            } catch {
                return ServiceError(error).response(to: context.requestID, log: log)
            }
        }
    }

    private static func answer(_ status: HTTPStatus, _ word: String) -> HTTPResponse {
        HTTPResponse(
            status,
            fields: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .bytes(Array("\(word)\n".utf8)))
    }
}
