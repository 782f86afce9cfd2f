import ArticleAPI
import ArticleAdminAPI
import ArticleServiceCore
import ArticleStore
import BroadsheetFeeds
import BroadsheetHTTP
import BroadsheetPlatform

/// One poll of one source: fetches, parses off the event loops, and imports new entries.
struct SourcePollRun: Sendable {
    let store: any ArticleStore
    let markdown: MarkdownRenderer
    package let defaultLanguage: String
    let policy: SourcePolicy
    let environment: OutboundEnvironment
    /// The threads that parse.
    let pool: BlockingPool
    package let source: ContentSource
    let position: SourcePosition

    /// The result of a poll.
    struct Finding: Sendable {
        var counts = PollCounts()
        var result: SourcePoll.Result
        /// True if there is more to fetch at once.
        var hasMore = false
    }

    /// The reason why a poll ended early.
    enum Interruption: Error, Sendable {
        case failed(SourceFailure)
        case store(StoreError)
    }

    private var fetcher: SourceFetcher { SourceFetcher(policy: policy, environment: environment) }

    /// Polls the source. Entries imported before a failure stay.
    package func poll() async throws(Interruption) -> Finding {
        let deadline = environment.system.uptime + environment.timeout
        let url: HTTPURL
        do throws(HTTPURL.Fault) {
            url = try policy.url(source.movedTo ?? source.url)
        } catch { throw .failed(SourceFailure("the URL \(error)")) }
        if source.kind == .broadsheet { return try await follow(url, by: deadline) }
        let response = try await fetch(url, conditions, by: deadline)
        if response.status == .notModified, position.etag != nil || position.lastModified != nil {
            return Finding(result: .unchanged)
        }
        switch await parse(response, by: deadline) {
        case .success(let feed): return try await take(feed, of: response, from: url, by: deadline)
        case .failure(let reason):
            let isTemporary = response.status == .tooManyRequests || response.status.code >= 500
            guard source.kind == nil, !isTemporary else { throw .failed(reason) }
            // It may be a Broadsheet: then it has changes.
            do throws(Interruption) { return try await follow(url, by: deadline) } catch {
                guard case .failed = error else { throw error }
                throw .failed(reason)
            }
        }
    }

    private func fetch(
        _ url: HTTPURL, _ fields: HTTPFields, by deadline: Duration
    ) async throws(Interruption) -> SourceResponse {
        do throws(SourceFailure) { return try await fetcher.fetch(url, fields, by: deadline) } catch
        {
            throw .failed(error)
        }
    }

    // MARK: A feed

    private static let accepted: HTTPFields = [
        .accept: "application/atom+xml, application/rss+xml, application/feed+json, "
            + "application/xml;q=0.9, text/xml;q=0.8, application/json;q=0.8, */*;q=0.1"
    ]

    private var conditions: HTTPFields {
        var fields = Self.accepted
        if let etag = position.etag { fields.append(.ifNoneMatch, etag) }
        if let time = position.lastModified { fields.append(.ifModifiedSince, time) }
        return fields
    }

    private func parse(
        _ response: SourceResponse, by deadline: Duration
    ) async -> Result<Feed, SourceFailure> {
        guard response.isSuccess else {
            return .failure(response.failure(at: environment.system.now))
        }
        let end = end(after: deadline)
        let parsed = try? await pool.read(until: end, in: environment.system) {
            () -> Result<Feed, SourceFailure> in
            do throws(FeedError) {
                return .success(
                    try FeedParser.parse(
                        response.body, contentType: response.fields[.contentType],
                        address: response.url.description))
            } catch { return .failure(response.unreadable(as: "a feed: \(error)")) }
        }
        // A feed that was read in part looks like a whole one, or like none.
        if Task.isCancelled { return .failure(.cancelled) }
        if environment.system.uptime > end {
            return .failure(SourceFailure("reading the feed took too long"))
        }
        return parsed ?? .failure(SourceFailure("too many feeds are being read"))
    }

    /// Returns the time at which reading and importing have to end: after as long again as
    /// responses may take.
    private func end(after deadline: Duration) -> Duration {
        deadline + environment.timeout
    }

    /// Takes over the entries of a feed, page by page: at first of all pages, later as long as
    /// there are new entries.
    private func take(
        _ first: Feed, of response: SourceResponse, from url: HTTPURL,
        by deadline: Duration
    ) async throws(Interruption) -> Finding {
        var taking = taking(round: nil, by: deadline)
        var walk = FeedPosition(
            from: response.url, readsAll: source.kind == nil || position.isListing,
            under: policy)
        var page = (feed: first, url: response.url)
        // Imported entries stay, even if a further page cannot be read.
        var isComplete = true
        while isComplete {
            let known = taking.counts[.created]
            try await take(page.feed, &taking)
            if let obstacle = taking.obstacle { taking.note(obstacle) }
            isComplete = taking.obstacle == nil
            let hasNew = taking.counts[.created] > known
            guard isComplete,
                let next = walk.next(after: page.feed, at: page.url, hasNew: hasNew)
            else { break }
            do throws(Interruption) { page = try await self.page(at: next, by: deadline) } catch {
                guard case .failed(let failure) = error, !Task.isCancelled else { throw error }
                taking.note("page \(walk.pageNumber) of the feed: \(failure.reason)")
                isComplete = false
            }
        }
        return Finding(
            counts: taking.counts,
            result: .taken(
                SourcePoll.Taken(
                    kind: .feed, title: SourceDraft.title(first.title),
                    movedTo: movedTo(response, from: url),
                    position: position(
                        after: response, isComplete: isComplete,
                        hasDeferred: taking.counts[.deferred] > 0),
                    skippedCount: taking.counts.skipped, skippedReason: taking.skippedReason)))
    }

    /// Without validators, the feed is read again with the next poll; all of its pages, unless they
    /// were read.
    private func position(
        after response: SourceResponse, isComplete: Bool, hasDeferred: Bool
    ) -> SourcePosition {
        let isCurrent = isComplete && !hasDeferred
        return SourcePosition(
            etag: isCurrent ? kept(response, .etag) : nil,
            lastModified: isCurrent ? kept(response, .lastModified) : nil, round: position.round,
            isListing: !isComplete)
    }

    private func page(
        at url: HTTPURL, by deadline: Duration
    ) async throws(Interruption) -> (feed: Feed, url: HTTPURL) {
        let response = try await fetch(url, Self.accepted, by: deadline)
        do throws(SourceFailure) {
            return (try await parse(response, by: deadline).get(), response.url)
        } catch { throw .failed(error) }
    }

    private func take(_ feed: Feed, _ taking: inout EntryImport) async throws(Interruption) {
        guard
            let drafts = try? await pool.run({ [source] in
                feed.entries.map { SourceDraft($0, of: feed, in: source) }
            })
        else { throw .failed(SourceFailure("too many feeds are being read")) }
        taking.skip(feed.omittedEntries, "the feed has too many entries, or some without an id")
        do throws(StoreError) { try await taking.take(drafts) } catch { throw .store(error) }
        if Task.isCancelled { throw .failed(.cancelled) }
    }

    private func taking(round: Int?, by deadline: Duration) -> EntryImport {
        EntryImport(
            store: store, markdown: markdown, defaultLanguage: defaultLanguage, pool: pool,
            source: source, round: round, deadline: end(after: deadline),
            system: environment.system)
    }

    /// A validator that can be sent back.
    private func kept(_ response: SourceResponse, _ name: HTTPFieldName) -> String? {
        response.fields[name].flatMap { $0.isEmpty || $0.utf8.count > 1_000 ? nil : $0 }
    }

    /// Returns the URL to which the source has moved permanently.
    private func movedTo(_ response: SourceResponse, from url: HTTPURL) -> String? {
        response.redirects > 0 && response.isPermanent ? response.url.description : source.movedTo
    }

    // MARK: A Broadsheet

    /// Pages of one poll; the next one continues.
    private static let limitPages = 50
    /// The remaining time that is required for a further page.
    private static let pageTime = Duration.seconds(10)

    /// Follows the changes of another Broadsheet from where the last poll ended.
    private func follow(
        _ url: HTTPURL, by deadline: Duration
    ) async throws(Interruption) -> Finding {
        var walk = ChangesPosition(position)
        var finding = Finding(result: .unchanged)
        // Where the first page with a revision that has to wait begins: it is read again.
        var deferred: SourcePosition?
        var skipped = (count: source.skippedCount, reason: source.skippedReason)
        for number in 1...Self.limitPages {
            let start = walk.position
            guard let page = try await page(&walk, of: url, by: deadline) else { continue }
            let taking = try await take(page, of: walk, at: url, by: deadline)
            if walk.isAtEnd { walk.position.isListing = false }
            if taking.counts[.deferred] > 0 { deferred = deferred ?? start }
            finding.counts.add(taking.counts)
            finding.hasMore = !walk.isAtEnd && deferred == nil
            if !page.changes.isEmpty {
                let isFirst = finding.counts.skipped == taking.counts.skipped
                skipped = (
                    finding.counts.skipped, isFirst ? taking.skippedReason : skipped.reason
                )
            }
            finding.result = .taken(
                SourcePoll.Taken(
                    kind: .broadsheet, title: source.title, movedTo: source.movedTo,
                    position: deferred ?? walk.position, skippedCount: skipped.count,
                    skippedReason: skipped.reason))
            let hasTime = environment.system.uptime + Self.pageTime < deadline
            guard !walk.isAtEnd, hasTime, number < Self.limitPages else { break }
            try await keep(finding)
        }
        return finding
    }

    private func take(
        _ page: ChangePage<Article>, of walk: ChangesPosition, at url: HTTPURL,
        by deadline: Duration
    ) async throws(Interruption) -> EntryImport {
        var taking = taking(round: walk.position.round, by: deadline)
        do throws(StoreError) {
            try await take(page, &taking, at: url)
            if walk.isAtEnd { try await taking.deleteMissing() }
        } catch { throw .store(error) }
        if Task.isCancelled { throw .failed(.cancelled) }
        if let obstacle = taking.obstacle { throw .failed(SourceFailure(obstacle)) }
        return taking
    }

    /// A path of the Broadsheet at the URL, which has a path of its own.
    private static func url(_ target: String, below url: HTTPURL) -> String {
        let path = String(decoding: url.target.path, as: UTF8.self)
        return "\(url.origin)" + (path.hasSuffix("/") ? String(path.dropLast()) : path) + target
    }

    /// Returns the next page; `nil` if the token can no longer be used, and the walk begins again.
    private func page(
        _ walk: inout ChangesPosition, of url: HTTPURL, by deadline: Duration
    ) async throws(Interruption) -> ChangePage<Article>? {
        let pageURL: HTTPURL
        do throws(HTTPURL.Fault) {
            pageURL = try policy.url(Self.url(walk.target, below: url))
        } catch { throw .failed(SourceFailure("the URL of its changes \(error)")) }
        let response = try await fetch(pageURL, [.accept: "application/json"], by: deadline)
        let isTokenLost = response.status == .badRequest || response.status == .gone
        if isTokenLost, walk.restart() { return nil }
        guard response.isSuccess else {
            throw .failed(response.failure(at: environment.system.now))
        }
        let parsed = try? await pool.run { () -> Result<ChangePage<Article>, SourceFailure> in
            do throws(ResponseMapperError) {
                return .success(try ChangePage<Article>(mapping: response.body))
            } catch { return .failure(response.unreadable(as: "a page of changes: \(error)")) }
        }
        do throws(SourceFailure) {
            let page = try (parsed ?? .failure(SourceFailure("too many feeds are being read")))
                .get()
            try walk.advance(past: page)
            return page
        } catch { throw .failed(error) }
    }

    private func take(
        _ page: ChangePage<Article>, _ taking: inout EntryImport, at url: HTTPURL
    ) async throws(StoreError) {
        var drafts: [SourceDraft] = []
        var deleted: [[UInt8]] = []
        for change in page.changes {
            switch change {
            case .putArticle(let article, _):
                let place = Self.url("/v1/articles/\(article.id)", below: url)
                drafts.append(SourceDraft(article, at: place, in: source))
            case .deleteArticle(let id, _): deleted.append(SourceDraft.key(id.description))
            default: break
            }
        }
        try await taking.take(drafts)
        try await taking.delete(deleted)
    }

    /// Stores the position of the source, so that a failure does not begin again.
    private func keep(_ finding: Finding) async throws(Interruption) {
        let now = environment.system.now
        do throws(StoreError) {
            try await store.recordPoll(
                SourcePoll(
                    time: now, revision: source.revision, nextPollAt: now, result: finding.result),
                of: source.id)
        } catch { throw .store(error) }
    }
}
