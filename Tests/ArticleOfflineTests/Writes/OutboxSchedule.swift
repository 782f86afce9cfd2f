import ArticleAPI
import ArticleOffline
import BroadsheetTestSupport

/// Two users of one device, each with an outbox of their own, a backend, and a network that loses
/// requests and responses or delivers them late; everything that happens is chosen by a seed.
struct OutboxSchedule {
    /// One user's outbox on the device: what is in memory, and what is stored.
    struct Client {
        let account: String
        var queue = OutboxQueue()
        var rows: [Int: OutboxEntry] = [:]
        /// The articles of the backend as the user last saw them.
        var copies: [Article.ID: Article] = [:]

        func shown(_ id: Article.ID) -> Article? {
            queue.entries.filter { $0.article == id }.overlay(on: copies[id])
        }

        var shownIDs: [Article.ID] {
            let ids = Set(copies.keys).union(queue.entries.map(\.edited))
            return ids.sorted().filter { shown($0) != nil }
        }
    }

    /// A request that has left the device.
    struct Flight {
        var client: Int
        var number: Int
        var request: SimulatedBackend.Request
        var response: SimulatedBackend.Response?
        /// True if the process still waits for the response.
        var isAwaited = true
    }

    var random: SplitMix64
    var backend = SimulatedBackend()
    var clients = [Client(account: "ada"), Client(account: "ben")]
    var flights: [Flight] = []
    var signedIn = 0
    var now = Timestamp(milliseconds: 1_800_000_000_000)
    var ledger = OutboxLedger()
    private var keys = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for number in 0..<3 {
            let draft = Article.Draft(title: "First \(number)", body: "Text")
            backend.write(.create(draft), to: newID(), at: now)
        }
        for index in clients.indices { clients[index].copies = backend.articles }
    }

    // MARK: Chance

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func newID() -> Article.ID { Article.ID(at: now, using: &random) }

    mutating func newKey() -> String {
        keys += 1
        return "key-\(keys)"
    }

    // MARK: What happens

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<28: edit()
        case 28..<50: send()
        case 50..<75: moveNetwork()
        case 75..<81: editElsewhere()
        case 81..<85: restart(Int.random(in: 0..<2, using: &random))
        case 85..<88: synchronize(Int.random(in: 0..<2, using: &random))
        case 88..<90: signedIn = 1 - signedIn
        case 90..<95: decide()
        default: wait()
        }
    }

    private mutating func wait() {
        let longest: Int64 = chance(40) ? 40 * 3_600_000 : 600_000
        now = now.advanced(byMilliseconds: Int64.random(in: 0...longest, using: &random))
    }

    /// Stores an edit; the process may end before or after.
    private mutating func commit(
        _ index: Int, _ edit: OutboxQueue.Edit?, crashing isCrashing: Bool = true
    ) -> Bool {
        guard let edit else { return false }
        if isCrashing, chance(2) {
            restart(index)
            return false
        }
        for entry in edit.stored { clients[index].rows[entry.number] = entry }
        for entry in edit.removed { clients[index].rows[entry.number] = nil }
        if isCrashing, chance(2) {
            restart(index)
            return false
        }
        return true
    }

    /// The process ends and begins again with what is stored.
    mutating func restart(_ index: Int) {
        for flight in flights.indices where flights[flight].client == index {
            flights[flight].isAwaited = false
        }
        let rows = clients[index].rows.values.compactMap { try? OutboxEntry(mapping: $0.json()) }
        ledger.check(
            Set(rows) == Set(clients[index].rows.values), "an entry is not read as it was stored")
        clients[index].queue = OutboxQueue(rows)
    }

    mutating func synchronize(_ index: Int) { clients[index].copies = backend.articles }

    // MARK: Users

    private mutating func edit() {
        let index = Int.random(in: 0..<2, using: &random)
        let client = clients[index]
        let shown = client.shownIDs
        let (id, write, base): (Article.ID, PendingWrite, Article?)
        if shown.isEmpty || chance(15) {
            id = newID()
            write = .create(
                Article.Draft(id: id, title: ledger.token("title", client.account, id)))
            base = nil
        } else {
            id = shown[Int.random(in: shown.indices, using: &random)]
            base = client.shown(id)
            write =
                chance(12) ? .delete : .update(changes(of: id, by: client.account, seeing: base))
        }
        var seen = base
        // Responses of lists may leave versions out.
        if write == .delete, chance(30) { seen?.version = nil }
        let edit = clients[index].queue.add(
            write, to: id, base: seen, account: client.account, key: newKey(), at: now)
        // Only what was stored counts as written.
        if commit(index, edit, crashing: false) { ledger.wrote(write, to: id, by: client.account) }
    }

    private mutating func changes(
        of id: Article.ID, by account: String, seeing shown: Article?
    ) -> Article.Changes {
        var changes = Article.Changes()
        if chance(40) {
            let token = ledger.token("title", account, id, seeing: shown)
            changes.title = .set(chance(12) ? token + " bad" : token)
        }
        if chance(40) {
            changes.summary = .set(ledger.token("summary", account, id, seeing: shown))
        }
        if chance(30) { changes.body = .set(ledger.token("body", account, id, seeing: shown)) }
        if chance(20) {
            let name = ledger.token("source", account, id, seeing: shown)
            changes.source = .set(Article.SourceChanges(name: .set(name)))
        }
        if chance(20) {
            let url = "https://example.com/" + ledger.token("heroImage", account, id, seeing: shown)
            changes.heroImage = .set(Article.HeroImageChanges(url: .set(url)))
        }
        return changes
    }

    private mutating func editElsewhere() {
        guard let id = backend.articles.keys.sorted().randomElement(using: &random) else { return }
        let write: PendingWrite =
            chance(15) ? .delete : .update(changes(of: id, by: "somebody else", seeing: nil))
        if case .update(let changes) = write, case .set(let title) = changes.title,
            title.contains("bad")
        {
            return
        }
        backend.write(write, to: id, at: now)
    }

    private mutating func decide() {
        let index = Int.random(in: 0..<2, using: &random)
        let entries = clients[index].queue.entries
        guard let entry = entries.randomElement(using: &random) else { return }
        let edit: OutboxQueue.Edit?
        switch entry.status {
        case .conflict(let theirs): edit = resolve(index, entry, theirs)
        case .needsConfirmation where chance(60):
            edit = clients[index].queue.sendAgain(entry.number, newKey: newKey())
        case .waiting where !chance(10), .sending: return
        case .needsConfirmation, .rejected, .waiting:
            ledger.dropped(entries.filter { $0.article == entry.article })
            edit = clients[index].queue.discard(entry.number)
        }
        _ = commit(index, edit)
    }

    private mutating func resolve(
        _ index: Int, _ entry: OutboxEntry, _ theirs: Article?
    ) -> OutboxQueue.Edit? {
        let decision: OutboxQueue.Decision
        switch Int.random(in: 0..<3, using: &random) {
        case 0: decision = .keepMine
        case 1:
            decision = .keepTheirs
            ledger.dropped([entry])
        default:
            var merged = theirs ?? entry.base ?? backend.articles.values.first
            merged?.summary = ledger.token("summary", clients[index].account, entry.edited)
            ledger.dropped([entry])
            decision = merged.map { .merged($0) } ?? .keepMine
        }
        let edit = clients[index].queue.resolve(
            entry.number, decision, newKey: newKey(), newID: newID(), at: now)
        // What the user decides to send again may have been sent before.
        for stored in edit?.stored ?? [] { ledger.decided(stored) }
        return edit
    }
}

/// The network, and what the process does with it.
extension OutboxSchedule {
    mutating func send(crashing isCrashing: Bool = true) {
        let index = signedIn
        _ = commit(index, clients[index].queue.expire(at: now), crashing: isCrashing)
        let sendable = clients[index].queue.sendable(at: now)
        guard let entry = sendable.randomElement(using: &random) else { return }
        let edit = clients[index].queue.begin(entry.number, at: now)
        guard commit(index, edit, crashing: isCrashing),
            let began = clients[index].queue[entry.number]
        else { return }
        ledger.check(
            began.account == clients[signedIn].account, "a write is sent in another account")
        flights.append(
            Flight(
                client: index, number: began.number,
                request: SimulatedBackend.Request(
                    account: clients[index].account, key: began.key, article: began.edited,
                    write: began.write, expected: began.base?.version)))
    }

    mutating func moveNetwork() {
        guard let place = flights.indices.randomElement(using: &random) else { return }
        if flights[place].response == nil {
            if chance(15) { return end(place, .notSent, isLost: true) }
            if chance(15) { return end(place, .noResponse, isLost: chance(50)) }
            flights[place].response = backend.handle(flights[place].request, at: now)
        } else {
            if chance(20) { return end(place, .noResponse, isLost: true) }
            let flight = flights[place]
            end(place, outcome(of: flight), isLost: true)
        }
    }

    /// Ends the wait for a response.
    ///
    /// - Parameters:
    ///   - place: the place of the request.
    ///   - outcome: what the process learns.
    ///   - isLost: whether the request does not arrive any more.
    private mutating func end(_ place: Int, _ outcome: OutboxQueue.Outcome, isLost: Bool) {
        let flight = flights[place]
        flights[place].isAwaited = false
        if isLost { flights.remove(at: place) }
        guard flight.isAwaited else { return }
        finish(flight, outcome)
    }

    mutating func finish(
        _ flight: Flight, _ outcome: OutboxQueue.Outcome, crashing isCrashing: Bool = true
    ) {
        let retry = now.advanced(byMilliseconds: 1_000)
        let edit = clients[flight.client].queue.finish(
            flight.number, outcome, newKey: newKey(), retryAt: retry)
        ledger.check(edit != nil, "a response has no entry")
        guard commit(flight.client, edit, crashing: isCrashing) else { return }
        switch outcome {
        case .applied(let article): clients[flight.client].copies[flight.request.article] = article
        case .changed(let theirs): clients[flight.client].copies[flight.request.article] = theirs
        case .notSent, .noResponse, .rejected: break
        }
    }

    func outcome(of flight: Flight) -> OutboxQueue.Outcome {
        switch flight.response {
        case nil: return .noResponse
        case .done(let article): return .applied(article)
        case .failed(.preconditionFailed), .failed(.notFound):
            return .changed(theirs: backend.articles[flight.request.article])
        case .failed(.idTaken):
            guard let theirs = backend.articles[flight.request.article] else {
                return .rejected(Problem(.idTaken))
            }
            return .changed(theirs: theirs)
        case .failed(let kind): return .rejected(Problem(kind))
        }
    }

    /// Everything is delivered, and each user sends what can be sent.
    mutating func quiesce() {
        while let flight = flights.first {
            var flight = flight
            flights.removeFirst()
            flight.response =
                flight.response ?? backend.handle(flight.request, at: now)
            if flight.isAwaited { finish(flight, outcome(of: flight), crashing: false) }
        }
        for index in clients.indices {
            signedIn = index
            // Each round sends a write, and a write is rebased only once without other edits.
            for _ in 0..<200 {
                now = now.advanced(byMilliseconds: 2_000)
                send(crashing: false)
                guard let flight = flights.popLast() else { break }
                var sent = flight
                sent.response = backend.handle(flight.request, at: now)
                finish(sent, outcome(of: sent), crashing: false)
            }
        }
    }
}
