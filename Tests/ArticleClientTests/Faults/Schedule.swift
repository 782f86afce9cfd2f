import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleClient

/// A random run of sends, cancellations, expired tokens, faults, and changing users, decided by a
/// seed.
final class Schedule: Sendable {
    /// One operation, and everything that was delivered of it.
    final class Entry: Sendable {
        enum Kind {
            case read(Int)
            case deletion(String, isRepeatable: Bool)
        }

        let kind: Kind
        /// The user who was signed in when it was made; `nil` for none.
        let user: String?
        private let delivered = Lock([Result<String, BackendError>]())

        init(_ kind: Kind, by user: String?) {
            self.kind = kind
            self.user = user
        }

        var deliveries: [Result<String, BackendError>] { delivered.withLock { $0 } }

        func deliver(_ result: Result<String, BackendError>) {
            delivered.withLock { $0.append(result) }
        }
    }

    private let service: BackendService
    private let server: TokenServer
    private let queue = NetworkQueue(width: 3)
    let entries = Lock([Entry]())

    init(_ server: TokenServer, _ transport: any Transport, _ baseURL: BaseURL) throws {
        self.server = server
        var configuration = BackendConfiguration(baseURL: baseURL)
        configuration.timeout = .milliseconds(400)
        let auth = try BackendAuth(
            store: MemoryCredentialStore(
                Credentials(token: server.token(of: "alice"), account: "alice"))
        ) { old, service in
            let page = try await service.send(FetchTagsRequest())
            return Credentials(token: "\(old.account ?? "")-\(page.next ?? "")")
        }
        var environment = ClientEnvironment.system
        // Waits between tries are short here: what counts is what happens in them.
        environment.sleep = { _ in
            for _ in 0..<5 { await Task.yield() }
            try Task.checkCancellation()
        }
        service = BackendService(
            configuration: configuration, transport: transport, auth: auth,
            environment: environment)
    }

    /// Runs so many operations, and ends when all have.
    func run(_ count: Int, seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        var operations: [NetworkOperation] = []
        for number in 0..<count {
            let operation = begin(number, seed, &random)
            operations.append(operation)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: operation.cancel()
            case 1: operations.randomElement(using: &random)?.cancel()
            case 2: server.wearOut()
            case 3: queue.suspend()
            case 4: queue.cancelAll(group: "a")
            case 5: changeUser(&random)
            default: queue.resume()
            }
            for _ in 0..<Int.random(in: 0..<30, using: &random) { await Task.yield() }
        }
        queue.resume()
        for operation in operations { _ = await operation.ended() }
        // Who waits for the end may hear of it before the handlers do.
        let entries = entries.withLock { $0 }
        #expect(await eventually { entries.allSatisfy { !$0.deliveries.isEmpty } }, "seed \(seed)")
    }

    private func changeUser(_ random: inout SplitMix64) {
        guard let user = ["alice", "bob", nil].randomElement(using: &random) ?? nil else {
            try? service.auth.signOut()
            return
        }
        try? service.auth.signIn(Credentials(token: server.token(of: user), account: user))
    }

    private var user: String? {
        switch service.auth.sessionState {
        case .signedIn(let account), .expired(let account): account
        case .signedOut, .unavailable: nil
        }
    }

    private func begin(
        _ number: Int, _ seed: UInt64, _ random: inout SplitMix64
    ) -> NetworkOperation {
        let group = Bool.random(using: &random) ? "a" : nil
        guard Int.random(in: 0..<4, using: &random) == 0, let id = Self.id(number, seed) else {
            // Few numbers, so that reads meet and share.
            let limit = Int.random(in: 1...4, using: &random)
            let entry = note(.read(limit))
            return add(FetchArticlesRequest(limit: limit), entry, group, .init()) { $0.next ?? "" }
        }
        var options = RequestOptions()
        let isRepeatable = Bool.random(using: &random)
        if isRepeatable { options.idempotencyKey = "\(id)" }
        let entry = note(.deletion("\(id)", isRepeatable: isRepeatable))
        return add(DeleteArticleRequest(id: id), entry, group, options) { _ in "\(id)" }
    }

    private func add<Request: BackendAPIRequest>(
        _ request: Request, _ entry: Entry, _ group: String?, _ options: RequestOptions,
        _ text: @escaping @Sendable (Request.Item) -> String
    ) -> NetworkOperation {
        let operation = ServiceOperation(request, on: service, options: options, group: group)
        operation.whenEnded { entry.deliver($0.map(text)) }
        queue.add(operation)
        return operation.operation
    }

    private func note(_ kind: Entry.Kind) -> Entry {
        let entry = Entry(kind, by: user)
        entries.withLock { $0.append(entry) }
        return entry
    }

    private static func id(_ number: Int, _ seed: UInt64) -> Article.ID? {
        let digits = String(seed &* 1_000 &+ UInt64(number), radix: 16)
        let tail = String(repeating: "0", count: max(0, 12 - digits.count)) + digits.suffix(12)
        return Article.ID("01890a5d-ac96-774b-bcce-\(tail)")
    }

    // MARK: What has to hold behind it

    /// Every operation ended exactly once, with its own response or an error, and was carried out
    /// for nobody but the user who made it.
    func check(seed: UInt64) {
        for entry in entries.withLock({ $0 }) {
            let deliveries = entry.deliveries
            #expect(deliveries.count == 1, "seed \(seed)")
            switch (entry.kind, deliveries.first) {
            case (.read(let limit), .success(let text)?):
                #expect(text == "n\(limit)-\(entry.user ?? "")", "seed \(seed)")
            case (.deletion(let id, let isRepeatable), let delivery?):
                let users = server.deletions(of: id)
                #expect(isRepeatable || users.count <= 1, "seed \(seed): \(id) was deleted twice")
                #expect(users.allSatisfy { $0 == entry.user }, "seed \(seed)")
                if case .success = delivery { #expect(!users.isEmpty, "seed \(seed)") }
            default: break
            }
        }
    }

    /// True if nothing of the run is left.
    var isQuiet: Bool { queue.count == 0 && service.calls.count == 0 }
}
