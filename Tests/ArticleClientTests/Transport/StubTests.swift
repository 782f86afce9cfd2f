import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite struct StubTests {
    private static let id = Article.ID("01890a5d-ac96-774b-bcce-b302099a8057")!

    @Test func `requests and items are typed on both sides`() async throws {
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                Page(
                    items: [
                        ArticleTag.Usage(tag: ArticleTag(named: "Swift"), articleCount: 3)
                    ],
                    next: request.limit.map { "\($0)" })
            }
            routes.on(DeleteArticleRequest.self) { _ in NoContent() }
        }
        let page = try await backend.send(FetchTagsRequest(limit: 5))
        #expect(page.items.map(\.tag.name) == ["Swift"] && page.next == "5")
        let delete = DeleteArticleRequest(id: Self.id, expected: .any, idempotencyKey: "k")
        #expect(try await backend.reply(to: delete).status == .noContent)
        #expect(backend.received(FetchTagsRequest.self) == [FetchTagsRequest(limit: 5)])
        #expect(backend.received(DeleteArticleRequest.self) == [delete])
        #expect(backend.received(FetchAuthorsRequest.self).isEmpty)
    }

    @Test(arguments: [
        BackendError.offline("no network"), .timedOut,
        .transport(TransportFailure(.insecure, "no certificate")),
        .problem(Problem(.slugTaken)), .unauthorized(Problem(.unauthenticated)),
    ])
    func `the app receives the errors that a stub throws`(error: BackendError) async {
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { _ in throw error }
        }
        #expect(await outcome { try await backend.send(FetchTagsRequest()) }.error == error)
        #expect(backend.received(FetchTagsRequest.self).count == 1)
    }

    @Test func `a problem is thrown as it is`() async {
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { _ in
                throw Problem(.forbidden, detail: "editors only")
            }
        }
        let error = await outcome { try await backend.send(FetchTagsRequest()) }.error
        #expect(error?.problem?.detail == "editors only")
    }

    @Test func `a stub rejects what the contract rejects`() async throws {
        let backend = BackendService.stub { routes in
            routes.on(CreateArticleRequest.self) { _ in
                Issue.record("it was taken")
                throw Problem(.internalError)
            }
        }
        let create = CreateArticleRequest(
            article: .init(title: String(repeating: "a", count: 301)))
        let error = await outcome { try await backend.send(create) }.error
        #expect(error?.problem?.kind == .invalidValues)
        #expect(error?.problem?.faults(at: "/title").count == 1)
        #expect(backend.received(CreateArticleRequest.self).isEmpty)
    }

    @Test func `a request without a route is reported`() async {
        let backend = BackendService.stub { _ in }
        let error = await outcome { try await backend.send(FetchTagsRequest()) }.error
        #expect(error?.problem?.kind == .notImplemented)
        #expect(error?.problem?.detail == "The stub has no route for GET /v1/tags.")
    }
}
