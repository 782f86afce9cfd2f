import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform

/// A backend in this process that has one tag, and records what it receives.
final class ExampleBackend: Sendable {
    private let received = Lock<[(target: String, fields: HTTPFields)]>([])

    var transport: InProcessTransport {
        InProcessTransport { [self] request, origin in
            let target = "\(origin)\(request.target)"
            received.withLock { $0.append((target, request.fields)) }
            return Self.page()
        }
    }

    var targets: [String] { received.withLock { $0.map(\.target) } }

    /// The field's value in each request.
    func values(of name: HTTPFieldName) -> [String?] {
        received.withLock { $0.map { $0.fields[name] } }
    }

    /// A page of tags.
    static func page(_ name: String = "Swift", next: String? = nil) -> HTTPResponse {
        let item = #"{"key":"\#(name.lowercased())","name":"\#(name)","articleCount":3}"#
        let next = next.map { #","next":"\#($0)""# } ?? ""
        return HTTPResponse(
            .ok, fields: [.contentType: "application/json", .etag: "\"1\""],
            body: .bytes(Array(#"{"items":[\#(item)]\#(next)}"#.utf8)))
    }
}
