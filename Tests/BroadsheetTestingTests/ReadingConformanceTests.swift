import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetTestSupport
import BroadsheetTesting
import Testing

/// A backend in memory lists, finds and searches like a real one.
@Suite struct ReadingConformanceTests {
    /// Creates the samples and some articles that differ in everything that lists consider.
    private static func write(_ tested: TestedBackend) async throws {
        for article in Article.samples.reversed() {
            var draft = article.draft
            draft.authors = article.authors.map { .name($0.name) }
            try await tested.editor.send(CreateArticleRequest(article: draft))
        }
        for number in 1...9 {
            var draft = Article.Draft(
                id: .sample(100 + number), title: "Number \(number % 4)", body: "Text \(number).")
            draft.tags = [["Odd", "Straße"], ["even", "STRASSE"]][number % 2]
            draft.language = ["en", "de-AT", nil][number % 3]
            draft.status = [.published, .draft, .archived][number % 3]
            draft.publishedAt = number % 2 == 0 ? .sample(days: -number / 4) : nil
            draft.source = number < 4 ? Article.Source(name: "Wire") : nil
            try await tested.editor.send(CreateArticleRequest(article: draft))
        }
        for number in [3, 101, 108] {
            try await tested.editor.send(
                UpdateArticleRequest(id: .sample(number), changes: .init(summary: .set("Edited"))))
        }
    }

    @Test func `lists have the same order, filters, pages and counts`() async throws {
        let author = Author.Mention.name("Nobody else")
        let lines = try await TestedBackend.compare { tested in
            try await Self.write(tested)
            let own = Article.Draft(
                id: .sample(200), title: "Own", authors: [author], status: .published)
            let written = try await tested.editor.send(CreateArticleRequest(article: own))
            var seen = Observations()
            var requests = ArticleSort.allCases.map { FetchArticlesRequest(sort: $0) }
            requests += [
                FetchArticlesRequest(tags: ["baking"]), FetchArticlesRequest(tag: "STRASSE"),
                FetchArticlesRequest(tags: ["harbour", "Bicycles"]),
                FetchArticlesRequest(author: written.authors.first?.id),
                FetchArticlesRequest(author: .sample(99)),
                FetchArticlesRequest(language: "ko"), FetchArticlesRequest(language: "DE-at"),
                FetchArticlesRequest(status: .draft), FetchArticlesRequest(status: .archived),
                FetchArticlesRequest(source: "Wire"),
                FetchArticlesRequest(publishedAfter: .sample(days: -5)),
                FetchArticlesRequest(
                    publishedAfter: .sample(days: -9), publishedBefore: .sample(hours: -2)),
            ]
            for service in [tested.reader, tested.editor] {
                for (place, request) in requests.enumerated() {
                    var request = request
                    (request.limit, request.count) = (3, .exact)
                    var pages: [[String]] = []
                    repeat {
                        let page = try await service.send(request)
                        pages.append(page.items.map { "\($0.title) \($0.id) \($0.body ?? "-")" })
                        seen.add("\(place): \(pages.last ?? []), \(String(describing: page.count))")
                        request.cursor = page.next
                    } while request.cursor != nil
                    let ids = pages.flatMap(\.self)
                    #expect(Set(ids).count == ids.count, "\(request)")
                }
            }
            return seen.lines
        }
        #expect(lines.count > 60 && lines.contains { $0.contains("처음 굽는 호밀빵") })
    }

    @Test func `a page goes on where an article was deleted, and a foreign cursor fails`()
        async throws
    {
        let lines = try await TestedBackend.compare { tested in
            try await Self.write(tested)
            var seen = Observations()
            let first = try await tested.reader.send(FetchArticlesRequest(limit: 2))
            for article in first.items {
                try await tested.editor.send(DeleteArticleRequest(id: article.id))
            }
            await seen.add("after a deletion") { () throws(BackendError) in
                try await tested.reader.send(FetchArticlesRequest(limit: 2, cursor: first.next))
            } as: {
                "\($0.items.map(\.title))"
            }
            await seen.add("another list") { () throws(BackendError) in
                try await tested.reader.send(
                    FetchArticlesRequest(cursor: first.next, sort: .createdFirst))
            } as: {
                "\($0.items.map(\.title))"
            }
            return seen.lines
        }
        #expect(lines[1].contains("malformed-request"))
    }

    @Test func `an article, its parts and its copies are the same`() async throws {
        let lines = try await TestedBackend.compare { tested in
            try await Self.write(tested)
            let mine = FetchArticleRequest(key: .id(.sample(8)))
            var seen = Observations()
            for service in [tested.reader, tested.editor] {
                for number in [1, 5, 10, 11, 12, 104, 999] {
                    await seen.add("\(number)") { () throws(BackendError) in
                        try await service.send(FetchArticleRequest(key: .id(.sample(number)))).facts
                    }
                }
                for slug in ["letters-from-the-harbour", "처음-굽는-호밀빵", "number-2-2", "none"] {
                    await seen.add(slug) { () throws(BackendError) in
                        try await service.send(FetchArticleRequest(key: .slug(slug))).facts
                    }
                }
                let first = try await service.reply(to: mine).source
                seen.add("\(first), then \(try await service.reply(to: mine).source)")
                let part = PartialRequest(
                    FetchArticleRequest(key: .id(.sample(8))),
                    fields: ["title", "authors.name", "commentCount"])
                let partial = try await service.send(part)
                let names = partial.authors?.map(\.name) ?? []
                seen.add("\(partial.title ?? "") \(names) \(partial.commentCount ?? -1)")
                #expect(partial.body == nil && partial.slug == nil)
            }
            let first = try await tested.reader.reply(to: mine)
            try await tested.editor.send(
                UpdateArticleRequest(id: .sample(8), changes: .init(title: .set("Flat again"))))
            let second = try await tested.reader.reply(to: mine)
            seen.add("\(second.source) \(second.item.title) \(first.etag != second.etag)")
            return seen.lines
        }
        #expect(
            lines.contains("network, then revalidated")
                && lines.last?.hasPrefix("network Flat") == true)
    }

    @Test func `tags and authors are listed alike`() async throws {
        try await TestedBackend.compare { tested in
            try await Self.write(tested)
            var seen = Observations()
            for service in [tested.reader, tested.editor] {
                for try await usage in service.pages(of: FetchTagsRequest(limit: 3)).items {
                    seen.add("\(usage)")
                }
                var names: [String] = []
                for try await author in service.pages(of: FetchAuthorsRequest(limit: 2)).items {
                    names.append(author.name)
                    let fetched = try await service.send(FetchAuthorRequest(id: author.id))
                    #expect(fetched == author)
                }
                seen.add("\(names.sorted())")
            }
            return seen.lines
        }
    }

    @Test func `a search finds the same, in the same order, with the same marks`() async throws {
        let queries = [
            "bread", "Brot", "rye", "bicycl", "harbour -ferry", "\"the tide table\"", "구워", "호밀",
            "자전거", "tyer", "oven heat", "mina park", "lightouse keeper", "stale", "",
        ]
        let lines = try await TestedBackend.compare { tested in
            try await Self.write(tested)
            await tested.index()
            var seen = Observations()
            for query in queries {
                var request = SearchArticlesRequest(query: query, limit: 2)
                var pages = 0
                repeat {
                    pages += 1
                    await seen.add("\(query) \(pages)") { () throws(BackendError) in
                        let page = try await tested.reader.send(request)
                        request.cursor = page.next
                        return page
                    } as: { page in
                        let hits = page.items.map { hit in
                            let pieces = (hit.title + hit.excerpt)
                            let text = pieces.map { $0.isMatch ? "[\($0.text)]" : $0.text }
                            return "\(hit.article.slug): \(text.joined())"
                        }
                        return "\(hits) \(page.correctedTo ?? "")"
                    }
                } while request.cursor != nil && pages < 20
            }
            await seen.add("with filters") { () throws(BackendError) in
                try await tested.reader.send(
                    SearchArticlesRequest(query: "the", tags: ["Harbour"], language: "en"))
            } as: {
                "\($0.items.map(\.article.slug))"
            }
            return seen.lines
        }
        #expect(lines.contains { $0.contains("[") && $0.contains("keeper") })
        #expect(lines.contains { $0.hasPrefix("tyer 1") && $0.contains("tyre") })
    }
}
