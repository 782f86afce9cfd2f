import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport

/// A store whose reads are delayed between reading and returning: each is held until others have
/// happened, in a seeded random order.
final class SlowStore: ArticleStore {
    private struct State {
        var random: SplitMix64
        var held: [UnsafeContinuation<Void, Never>] = []
        var isOpen = false
    }

    let store: any ArticleStore
    private let state: Lock<State>
    /// Maximum number of held reads; above it, one is released, so that there is always progress.
    private let limitHeld: Int

    init(_ store: any ArticleStore, seed: UInt64, limitHeld: Int) {
        self.store = store
        self.limitHeld = limitHeld
        state = Lock(State(random: SplitMix64(seed: seed)))
    }

    /// Releases one of the held reads, if there is one.
    func letOneGo() {
        let one = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard !state.held.isEmpty else { return nil }
            return state.held.remove(at: Int(state.random.next() % UInt64(state.held.count)))
        }
        one?.resume()
    }

    /// Stops holding reads.
    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    var workers: WorkerPool { store.workers }

    func hold() async {
        if state.withLock({ $0.held.count >= limitHeld }) { letOneGo() }
        await withUnsafeContinuation { continuation in
            let isHeld = state.withLock { state in
                // One in four is not held.
                guard !state.isOpen, state.random.next() % 4 > 0 else { return false }
                state.held.append(continuation)
                return true
            }
            if !isHeld { continuation.resume() }
        }
    }

    // MARK: Public reads

    func edition(of key: Article.Key, visibleTo audience: Audience) async throws(StoreError)
        -> ArticleVersion
    {
        let result: Result<ArticleVersion, StoreError>
        do { result = .success(try await store.edition(of: key, visibleTo: audience)) } catch {
            result = .failure(error)
        }
        await hold()
        return try result.get()
    }

    func articles(_ query: ArticleQuery) async throws(StoreError) -> ArticleSlice {
        let slice = try await store.articles(query)
        await hold()
        return slice
    }
}

// MARK: Everything else is forwarded

extension SlowStore {
    func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) async throws(StoreError) -> Article {
        try await store.createArticle(id, content, by: edit)
    }

    func updateArticle(
        _ id: Article.ID, _ update: ArticleUpdate, expecting expectation: Precondition,
        by edit: Edit
    ) async throws(StoreError) -> Article {
        try await store.updateArticle(id, update, expecting: expectation, by: edit)
    }

    func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) {
        try await store.deleteArticle(id, expecting: expectation, by: edit)
    }

    func revisions(
        of id: Article.ID, below number: Int?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Revision, Int> {
        try await store.revisions(of: id, below: number, limit: limit, visibleTo: audience)
    }

    func revision(
        _ number: Int, of id: Article.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> Article {
        try await store.revision(number, of: id, visibleTo: audience)
    }

    func deletedArticles(
        after: ArticlePosition?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<DeletedArticle, ArticlePosition> {
        try await store.deletedArticles(after: after, limit: limit, visibleTo: audience)
    }

    func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition,
        by edit: Edit
    ) async throws(StoreError) -> Article {
        try await store.restoreArticle(id, to: number, expecting: expectation, by: edit)
    }

    func bodyHTML(
        of articles: [Article], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?] {
        try await store.bodyHTML(of: articles, by: renderer)
    }

    func keepBodyHTML(
        _ html: BodyHTML, of id: Article.ID, revision: Int
    ) async throws(StoreError) {
        try await store.keepBodyHTML(html, of: id, revision: revision)
    }

    func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<ArticleTag.Usage, String> {
        try await store.tags(after: key, limit: limit, visibleTo: audience)
    }

    func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Author, Author.ID> {
        try await store.authors(after: id, limit: limit, visibleTo: audience)
    }

    func author(_ id: Author.ID, visibleTo audience: Audience) async throws(StoreError) -> Author {
        try await store.author(id, visibleTo: audience)
    }

    func putAuthor(
        _ id: Author.ID, _ replacement: Author.Replacement, expecting expectation: Precondition,
        by edit: Edit
    ) async throws(StoreError) -> (author: Author, isNew: Bool) {
        try await store.putAuthor(id, replacement, expecting: expectation, by: edit)
    }

    func idempotencyRecord(
        _ scope: [UInt8], at time: Timestamp
    ) async throws(StoreError) -> IdempotencyRecord? {
        try await store.idempotencyRecord(scope, at: time)
    }

    func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) async throws(StoreError) {
        try await store.keepRejection(words, of: key, at: time)
    }

    func removeExpiredOutcomes(at time: Timestamp) async throws(StoreError) -> Int {
        try await store.removeExpiredOutcomes(at: time)
    }

    func keys() async throws(StoreError) -> [KeyRecord] { try await store.keys() }

    func createKey(_ key: KeyRecord) async throws(StoreError) { try await store.createKey(key) }

    func revokeKey(_ id: String, at time: Timestamp) async throws(StoreError) -> KeyRecord {
        try await store.revokeKey(id, at: time)
    }

    func secret(named name: String) async throws(StoreError) -> [UInt8] {
        try await store.secret(named: name)
    }

    func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        try await store.importArticles(items, by: edit, dryRun: dryRun)
    }

    func export(
        _ body: @escaping @Sendable (ExportRecord) throws -> Void
    ) async throws(StoreError) { try await store.export(body) }

    func restore(_ records: [ExportRecord], dryRun: Bool) async throws(StoreError)
        -> RestoreCounts
    {
        try await store.restore(records, dryRun: dryRun)
    }

    func publishDueArticles(
        at time: Timestamp, limit: Int
    ) async throws(StoreError) -> (published: Int, next: Timestamp?) {
        try await store.publishDueArticles(at: time, limit: limit)
    }

    func nextPublication() async throws(StoreError) -> Timestamp? {
        try await store.nextPublication()
    }

    func scheduledCounts(at time: Timestamp) async throws(StoreError) -> ScheduledCounts {
        try await store.scheduledCounts(at: time)
    }

    func changeSequence() async throws(StoreError) -> Int64 { try await store.changeSequence() }

    func changes(after sequence: Int64, limit: Int) async throws(StoreError) -> [ChangeRecord] {
        try await store.changes(after: sequence, limit: limit)
    }

    func changes(_ query: ChangeQuery) async throws(StoreError) -> ChangeSlice {
        try await store.changes(query)
    }

    func observeChanges(_ observer: any ChangeObserver) { store.observeChanges(observer) }

    func webhooks() async throws(StoreError) -> [WebhookRecord] { try await store.webhooks() }

    func putWebhook(_ record: WebhookRecord) async throws(StoreError) {
        try await store.putWebhook(record)
    }

    func removeWebhooks(except urls: Set<[UInt8]>) async throws(StoreError) {
        try await store.removeWebhooks(except: urls)
    }

    func articleCount() async throws(StoreError) -> Int { try await store.articleCount() }

    func close() async { await store.close() }
}

extension SlowStore {
    func createUser(
        _ user: UserRecord, using invitation: String?, at time: Timestamp
    ) async throws(StoreError) {
        try await store.createUser(user, using: invitation, at: time)
    }

    func user(
        identifiedBy identity: IdentityRecord
    ) async throws(StoreError) -> UserRecord {
        try await store.user(identifiedBy: identity)
    }

    func createUser(
        _ user: UserRecord, using invitation: String?, identity: IdentityRecord,
        at time: Timestamp
    ) async throws(StoreError) {
        try await store.createUser(user, using: invitation, identity: identity, at: time)
    }

    func useIdentityToken(
        _ digest: [UInt8], until expiry: Timestamp, at time: Timestamp
    ) async throws(StoreError) {
        try await store.useIdentityToken(digest, until: expiry, at: time)
    }

    func user(_ id: UserRecord.ID) async throws(StoreError) -> UserRecord {
        try await store.user(id)
    }

    func user(named nameKey: String) async throws(StoreError) -> UserRecord {
        try await store.user(named: nameKey)
    }

    func users(
        after id: UserRecord.ID?, limit: Int
    ) async throws(StoreError) -> Slice<UserRecord, UserRecord.ID> {
        try await store.users(after: id, limit: limit)
    }

    func userCount() async throws(StoreError) -> Int { try await store.userCount() }

    func exportAccount(
        _ id: User.ID, _ body: @escaping @Sendable (AccountRecord) throws -> Void
    ) async throws(StoreError) { try await store.exportAccount(id, body) }

    func updateUser(
        _ id: UserRecord.ID, expecting revision: Int?, _ change: UserChange, at time: Timestamp
    ) async throws(StoreError) -> UserRecord {
        try await store.updateUser(id, expecting: revision, change, at: time)
    }

    func rehash(
        _ id: UserRecord.ID, from old: String, to new: String
    ) async throws(StoreError) -> Bool {
        try await store.rehash(id, from: old, to: new)
    }

    func beginDeletion(
        of id: UserRecord.ID, expecting revision: Int?, comments: User.CommentDisposal,
        at time: Timestamp
    ) async throws(StoreError) {
        try await store.beginDeletion(
            of: id, expecting: revision, comments: comments, at: time)
    }

    func finishDeletion(of id: UserRecord.ID, at time: Timestamp) async throws(StoreError) {
        try await store.finishDeletion(of: id, at: time)
    }

    func unfinishedDeletions() async throws(StoreError) -> [UserRecord.ID] {
        try await store.unfinishedDeletions()
    }

    func createSession(
        _ session: SessionRecord, expecting accessEpoch: Int
    ) async throws(StoreError) -> [String] {
        try await store.createSession(session, expecting: accessEpoch)
    }

    func session(_ id: String) async throws(StoreError) -> SessionRecord {
        try await store.session(id)
    }

    func sessions(of user: UserRecord.ID) async throws(StoreError) -> [SessionRecord] {
        try await store.sessions(of: user)
    }

    func allSessions(
        after id: String?, limit: Int
    ) async throws(StoreError) -> Slice<SessionRecord, String> {
        try await store.allSessions(after: id, limit: limit)
    }

    func rotateSession(
        _ id: String, from digest: [UInt8], to tokens: TokenRecord, at time: Timestamp
    ) async throws(StoreError) -> SessionRotation {
        try await store.rotateSession(id, from: digest, to: tokens, at: time)
    }

    func recordTokenUse(
        ofSession id: String, _ refreshDigest: [UInt8], at time: Timestamp
    ) async throws(StoreError) {
        try await store.recordTokenUse(ofSession: id, refreshDigest, at: time)
    }

    func endSession(_ id: String) async throws(StoreError) { try await store.endSession(id) }

    func endSessions(of user: UserRecord.ID, except kept: String?) async throws(StoreError) {
        try await store.endSessions(of: user, except: kept)
    }

    func endAllSessions() async throws(StoreError) { try await store.endAllSessions() }

    func touchSessions(_ uses: [SessionUse]) async throws(StoreError) {
        try await store.touchSessions(uses)
    }

    func removeExpiredSessions(before time: Timestamp) async throws(StoreError) -> Int {
        try await store.removeExpiredSessions(before: time)
    }

    func createInvitation(_ invitation: InvitationRecord) async throws(StoreError) {
        try await store.createInvitation(invitation)
    }

    func invitations() async throws(StoreError) -> [InvitationRecord] {
        try await store.invitations()
    }

    func invitation(withDigest digest: [UInt8]) async throws(StoreError) -> InvitationRecord {
        try await store.invitation(withDigest: digest)
    }

    func revokeInvitation(_ id: String) async throws(StoreError) {
        try await store.revokeInvitation(id)
    }

    func removeHistory(
        _ rules: RetentionRules, at time: Timestamp, _ walk: RetentionProgress
    ) async throws(StoreError) -> RetentionProgress {
        try await store.removeHistory(rules, at: time, walk)
    }
}
