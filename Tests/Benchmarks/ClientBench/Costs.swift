import ArticleAPI
import ArticleClient
import BroadsheetHTTP

/// The cost of a request with the whole SDK compared to a bare exchange of its transport with the
/// same bytes.
struct Costs {
    private let subject: Subject
    private let transport: any Transport
    private let service: BackendService
    private let options: RequestOptions

    init(_ subject: Subject, _ transport: any Transport) {
        self.subject = subject
        self.transport = transport
        service = BackendService(
            configuration: BackendConfiguration(baseURL: subject.base), transport: transport)
        // The complete response is received each time, like in the bare exchange.
        var options = RequestOptions()
        options.freshness = .reloaded
        self.options = options
    }

    func json(_ name: String, _ count: Int, _ pairs: Int) async throws -> String {
        let article = try await compare(subject.article, count, pairs)
        let list = try await compare(subject.list, count / 4, pairs)
        return #""\#(name)":{"article":\#(article),"list":\#(list)}"#
    }

    /// Runs both alternately; the first pair is a warm-up.
    private func compare<Request: BackendAPIRequest>(
        _ request: Request, _ count: Int, _ pairs: Int
    ) async throws -> String {
        var bare: [Double] = []
        var sent: [Double] = []
        for pair in 0...pairs {
            let costs = (try await exchange(request, count), try await send(request, count))
            guard pair > 0 else { continue }
            bare.append(costs.0)
            sent.append(costs.1)
        }
        let ratio = zip(sent, bare).map(/).median
        return #"{"bare":\#(bare.median),"send":\#(sent.median),"ratio":\#(ratio)}"#
    }

    private func exchange<Request: BackendAPIRequest>(
        _ request: Request, _ count: Int
    ) async throws -> Double {
        let wire = subject.wire(request)
        let start = processMicroseconds()
        for _ in 0..<count {
            _ = try await transport.exchange(wire, with: subject.base.origin, options: .init())
        }
        return (processMicroseconds() - start) / Double(count)
    }

    private func send<Request: BackendAPIRequest>(
        _ request: Request, _ count: Int
    ) async throws -> Double {
        let start = processMicroseconds()
        for _ in 0..<count { try await service.send(request, options: options) }
        return (processMicroseconds() - start) / Double(count)
    }
}
