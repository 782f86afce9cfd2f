import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport

/// An in-process backend with the responses of a test, which records its requests.
final class TestBackend: Sendable {
    typealias Respond = @Sendable (HTTPRequest, Int) async throws -> HTTPResponse

    private let received = Lock([(request: HTTPRequest, origin: HTTPOrigin)]())
    private let respond: Respond

    /// - Parameter respond: gets the request and how many came before it.
    init(_ respond: @escaping Respond) { self.respond = respond }

    /// - Parameter environment: the clock by which requests time out.
    func transport(_ environment: ClientEnvironment) -> InProcessTransport {
        InProcessTransport(environment: environment) { [self] request, origin in
            let count = received.withLock { received in
                received.append((request, origin))
                return received.count - 1
            }
            return try await respond(request, count)
        }
    }

    /// The requests that it received, in order.
    var requests: [HTTPRequest] { received.withLock { $0.map(\.request) } }
    var origins: [HTTPOrigin] { received.withLock { $0.map(\.origin) } }

    func service(
        _ configuration: BackendConfiguration = BackendConfiguration(baseURL: "http://localhost"),
        auth: BackendAuth = BackendAuth(), cache: ResponseCache? = ResponseCache(),
        middleware: [any RequestMiddleware] = [], observers: [BackendObserver] = [],
        time: TestTime = TestTime(),
        environment: ClientEnvironment? = nil
    ) -> BackendService {
        let environment = environment ?? time.environment
        return BackendService(
            configuration: configuration, transport: transport(environment), auth: auth,
            cache: cache, middleware: middleware, observers: observers, environment: environment)
    }
}

/// Time that a test controls: waiting before a retry advances it at once, and nothing else does.
/// No request times out by it unless the test advances it.
final class TestTime: Sendable {
    private struct State {
        var now = Duration.zero
        var waits: [Duration] = []
    }
    private let state = Lock(State())

    var now: Duration { state.withLock { $0.now } }

    /// The waits so far.
    var waits: [Duration] { state.withLock { $0.waits } }

    func advance(by duration: Duration) { state.withLock { $0.now += duration } }

    /// Chance gives its largest number.
    var environment: ClientEnvironment {
        ClientEnvironment(
            now: { self.now }, wallSeconds: { 1_000_000_000 + self.now.components.seconds },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.now += duration
                    state.waits.append(duration)
                }
            }, random: { $0 })
    }
}

/// A page without articles, identified by its cursor.
func page(_ cursor: String, fields: HTTPFields = HTTPFields()) -> HTTPResponse {
    var fields = fields
    fields.set(.contentType, to: "application/json")
    return HTTPResponse(
        .ok, fields: fields, body: .bytes(Array(#"{"items":[],"next":"\#(cursor)"}"#.utf8)))
}

func rejection(_ kind: Problem.Kind, _ detail: String? = nil) -> HTTPResponse {
    HTTPResponse(
        HTTPStatus(kind.status) ?? .internalServerError,
        fields: [.contentType: Problem.mediaType],
        body: .bytes(Problem(kind, detail: detail).json()))
}

/// Returns the outcome of a request.
func outcome<Value: Sendable>(
    _ work: () async throws -> Value
) async -> Result<Value, BackendError> {
    do { return .success(try await work()) } catch {
        return .failure(
            error as? BackendError ?? .transport(TransportFailure(.malformed, "\(error)")))
    }
}

extension Result where Failure == BackendError {
    var error: BackendError? { if case .failure(let error) = self { error } else { nil } }
}

let list = FetchArticlesRequest()
