import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Lists as sequences, over a stub with the pages of a test.
@Suite struct PagesTests {
    /// Serves tags; the cursor of a page is its number.
    private static func backend(_ pages: [[String]], after last: String? = nil) -> BackendService {
        BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                let number = request.cursor.flatMap { Int($0) } ?? 0
                let isLast = number == pages.count - 1
                return Page(
                    items: pages[number].map {
                        ArticleTag.Usage(tag: ArticleTag(named: $0), articleCount: 1)
                    }, next: isLast ? last : "\(number + 1)")
            }
        }
    }

    @Test func `pages are requested in order and on demand`() async throws {
        let backend = Self.backend([["a", "b"], [], ["c"]])
        var iterator = backend.pages(of: FetchTagsRequest(limit: 2)).makeAsyncIterator()
        #expect(backend.received(FetchTagsRequest.self).isEmpty)
        #expect(try await iterator.next(isolation: nil)?.items.map(\.id) == ["a", "b"])
        #expect(backend.received(FetchTagsRequest.self).count == 1)
        #expect(try await iterator.next(isolation: nil)?.items.isEmpty == true)
        #expect(try await iterator.next(isolation: nil)?.items.map(\.id) == ["c"])
        #expect(try await iterator.next(isolation: nil) == nil)
        #expect(try await iterator.next(isolation: nil) == nil)
        let asked = backend.received(FetchTagsRequest.self)
        #expect(asked.map(\.cursor) == [nil, "1", "2"] && asked.allSatisfy { $0.limit == 2 })
    }

    @Test func `items continue across pages without repetition`() async throws {
        // Between the pages something was put in: the list moved on by one.
        let backend = Self.backend([["a", "b"], ["b", "c"], [], ["c", "a", "d"]])
        var ids: [String] = []
        for try await item in backend.pages(of: FetchTagsRequest()).items { ids.append(item.id) }
        #expect(ids == ["a", "b", "c", "d"])
    }

    @Test func `a circular list ends with an error`() async throws {
        let backend = Self.backend([["a"], ["b"]], after: "1")
        var count = 0
        let error = await outcome {
            for try await _ in backend.pages(of: FetchTagsRequest()) { count += 1 }
        }.error
        guard case .mapping? = error else { throw TestFailure("\(error as Any)") }
        #expect(count == 1)
    }

    @Test func `a failed page can be requested again`() async throws {
        let backend = TestBackend { _, count in
            switch count {
            case 0: page("c1")
            case 1: rejection(.notFound)
            default: page("c\(count)")
            }
        }
        var iterator = backend.service(cache: nil).pages(of: list).makeAsyncIterator()
        _ = try await iterator.next(isolation: nil)
        await #expect(throws: BackendError.self) { try await iterator.next(isolation: nil) }
        #expect(try await iterator.next(isolation: nil)?.next == "c2")
        #expect(
            backend.requests.map { "\($0.target)" }.suffix(2) == [
                "/v1/articles?cursor=c1", "/v1/articles?cursor=c1",
            ])
    }

    @Test func `leaving the loop cancels the request`() async throws {
        let (asked, never) = (Signal(), Signal())
        let backend = BackendService.stub { routes in
            routes.on(FetchTagsRequest.self) { request in
                guard request.cursor != nil else { return Page(items: [], next: "1") }
                asked.give()
                await never.wait()
                return Page(items: [])
            }
        }
        let reader = Task {
            await outcome {
                for try await _ in backend.pages(of: FetchTagsRequest()).items {}
            }.error
        }
        await asked.wait()
        reader.cancel()
        #expect(await reader.value == .cancelled)
        never.give()
    }

    @Test func `a request for some attributes has pages, too`() async throws {
        let backend = BackendService.stub { routes in
            routes.on(FetchArticlesRequest.self) { request in
                #expect(request.fields?.names == ["title"])
                return Page(
                    items: [
                        Article(
                            id: Article.ID(at: Timestamp(milliseconds: 1)), slug: "a", title: "A",
                            body: nil, language: "en", status: .published,
                            createdAt: Timestamp(milliseconds: 0),
                            updatedAt: Timestamp(milliseconds: 0), wordCount: 0, readingMinutes: 0)
                    ], next: request.cursor == nil ? "1" : nil)
            }
        }
        var titles: [String?] = []
        let request = PartialRequest(FetchArticlesRequest(limit: 1), fields: ["title"])
        for try await article in backend.pages(of: request).items {
            titles.append(article.title)
            #expect(article.slug == nil)
        }
        #expect(titles == ["A", "A"])
    }
}
