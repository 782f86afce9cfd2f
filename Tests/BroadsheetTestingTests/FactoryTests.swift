import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetTestSupport
import BroadsheetTesting
import Testing

/// Samples, and the states of screens that only a store or a service makes otherwise.
@Suite struct FactoryTests {
    @Test func `samples are valid, differ by their ids, and are always the same`() throws {
        #expect(Article.samples.count == 12)
        #expect(Set(Article.samples.map(\.id)).count == 12)
        #expect(Set(Article.samples.map(\.slug)).count == 12)
        #expect(Article.samples.count { $0.language == "ko" } == 2)
        let statuses = Article.samples.map(\.status)
        #expect(statuses == [.draft, .scheduled] + Array(repeating: .published, count: 10))
        for article in Article.samples + [.sample(), .sample(id: .sample(3), status: .draft)] {
            #expect(article.faults == [] && article.draft.faults == [], "\(article.slug)")
        }
        let times = Article.samples.map(\.createdAt)
        #expect(times == times.sorted(by: >))
        for comment in ArticleComment.samples + [.sample()] { #expect(comment.faults == []) }
        for author in Author.samples + [.sample()] { #expect(author.faults == []) }
        #expect(User.sample().faults == [] && Bookmark.sample().faults == [])
        #expect(UserSession.sample().faults == [] && ArticleTag.Usage.sample().faults == [])
        #expect(Article.sample().json() == Article.sample().json())
        #expect("\(Article.ID.sample(2))" == "019b8d2b-8c00-7000-8000-000000000002")
        #expect(Timestamp.sample(days: 1, hours: -8).description == "2026-01-06T00:00:00.000Z")
    }

    @Test func `a sample's time follows from its status`() {
        #expect(Article.sample().publishedAt == .sample())
        #expect(Article.sample(status: .draft).publishedAt == nil)
        #expect(Article.sample(status: .scheduled).publishedAt == .sampleFuture)
        #expect(Article.sample(publishedAt: .sample(days: 2)).publishedAt == .sample(days: 2))
        let counted = Article.sample(body: "Two *words*")
        #expect(counted.wordCount == 2 && counted.readingMinutes == 1)
    }

    // MARK: Stored articles and unsent writes

    @Test(arguments: [
        OutboxEntry.Status.waiting(until: nil), .waiting(until: .sample()), .sending,
        .conflict(theirs: .sample(title: "Theirs")), .conflict(theirs: nil), .needsConfirmation,
        .rejected(Problem(.forbidden)),
    ])
    func `an entry has any status, as a store would keep it`(status: OutboxEntry.Status) throws {
        let entry = OutboxEntry.sample(number: 3, status: status)
        #expect(entry.status == status && entry.number == 3)
        #expect(try OutboxEntry(mapping: entry.json()) == entry)
        #expect(CachedArticle.sample(pending: status).pending == status)
        let state = OutboxState.sample([entry], pause: .signedOut, unreadable: 2)
        #expect(state.pause == .signedOut && state.unreadable == 2)
        let groups = [
            state.waiting, state.sending, state.conflicts, state.confirmations, state.rejections,
        ]
        #expect(groups.count { $0 == [entry] } == 1)
    }

    @Test func `a conflict has all three articles`() {
        let base = Article.sample()
        let entry = OutboxEntry.conflict(
            mine: .sample(title: "Mine", tags: []), theirs: .sample(title: "Theirs"))
        #expect(entry.base == base && entry.article == base.id)
        let mine = [entry].overlay(on: base)
        #expect(mine?.title == "Mine" && mine?.tags == [])
        #expect(entry.status == .conflict(theirs: .sample(title: "Theirs")))
        #expect(OutboxEntry.conflict(mine: nil, theirs: base).write == .delete)
        let id = Article.ID.sample(7)
        let creation = OutboxEntry.sample(.create(.init(id: id, title: "New")), to: nil)
        #expect(creation.article == id && creation.base == nil)
    }

    @Test func `a listed article does not know its body`() {
        let listed = CachedArticle.sample(.sample(body: nil), knowing: .inLists, isPinned: true)
        #expect(!listed.known.contains("body") && listed.isPinned && listed.pending == nil)
        #expect(CachedArticle.sample().known.contains("body"))
    }

    // MARK: Requests and lists

    @Test func `a list is in any phase`() {
        typealias List = PagedListState<Article, BackendError>
        let some = Article.samples
        #expect(List.sample(phase: .idle).items == [])
        #expect(List.sample(phase: .loading(.refresh)).phase == .loading(.refresh))
        for phase: List.Phase in [
            .loaded, .exhausted, .loading(.refresh), .loading(.more), .failed(.timedOut, .refresh),
            .failed(.timedOut, .more),
        ] {
            let list = List.sample(some, phase: phase)
            #expect(list.phase == phase && list.items == some)
        }
        // It goes on from there.
        var list = List.sample(some, phase: .failed(.timedOut, .more))
        #expect(list.more()?.kind == .more)
    }

    @Test func `a reply and an event are as a service makes them`() {
        let reply = BackendReply.sample(
            3, source: .cached, age: .seconds(60), staleReason: .timedOut,
            fields: [.etag: "\"a\""])
        #expect(reply.item == 3 && reply.source == .cached && reply.staleReason == .timedOut)
        #expect(reply.etag?.value == "a" && BackendReply.sample(3).staleReason == nil)
        let event = BackendEvent.sample(.cached(age: .seconds(1)), of: FetchTagsRequest(limit: 5))
        #expect(event.target == "/v1/tags?limit=5" && event.kind == .cached(age: .seconds(1)))
    }

    // MARK: Errors

    @Test func `there is a sample of each error, with texts`() {
        // A new case does not compile here until there is a sample of it.
        func name(_ error: BackendError) -> String {
            switch error {
            case .transport(let failure): "\(failure.kind)"
            case .problem(let problem): problem.type
            case .unauthorized, .signInRejected, .signedOut, .mapping, .cancelled, .superseded,
                .timedOut, .offline, .notCached:
                "\(error)"
            }
        }
        func isNamed(_ kind: TransportFailure.Kind) -> Bool {
            switch kind {
            case .disconnected, .insecure, .malformed, .foreign, .tooLarge, .unsupported,
                .overloaded, .redirected, .credentials:
                true
            }
        }
        let kinds = BackendError.samples.compactMap { error in
            if case .transport(let failure) = error { failure.kind } else { nil }
        }
        #expect(kinds.allSatisfy(isNamed) && Set(kinds).count == 9)
        #expect(Set(BackendError.samples.map(name)).count == 8 + 9 + Problem.Kind.allCases.count)
        let errors: [any UserFacingError] =
            BackendError.samples + OfflineError.samples
        for error in errors {
            for language in PresentationLanguage.allCases {
                let text = error.text(for: .save, in: language)
                #expect(!text.title.isEmpty && !text.message.isEmpty && !text.advice.isEmpty)
            }
        }
    }

    @Test func `stores, outboxes and mirrors have a sample of each state`() {
        for error in OfflineError.samples {
            switch error {
            case .full, .busy, .newer, .otherAccount, .damaged, .disk, .noAccount, .invalid,
                .tooManyWrites, .noSuchWrite, .backend:
                break
            }
        }
        #expect(Set(OfflineError.samples).count == 11)
        #expect(Set(ArticleMirror.State.samples).count == ArticleMirror.State.samples.count)
    }
}
