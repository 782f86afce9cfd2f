import ArticleClient
import ArticleServices
import HTTP

/// Carries the requests of `AdminPath.prefix` to an older server, which has them below
/// `AdminPath.former`.
struct FormerPaths: Transport {
    private let transport: any Transport

    init(_ transport: any Transport) { self.transport = transport }

    var executor: (any TaskExecutor)? { transport.executor }

    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        var request = request
        let prefix = Array(AdminPath.prefix.utf8)
        if request.target.bytes.starts(with: prefix) {
            let former = AdminPath.former.utf8 + request.target.bytes.dropFirst(prefix.count)
            request.target = RequestTarget(former) ?? request.target
        }
        return try await transport.exchange(request, with: origin, options: options)
    }
}
