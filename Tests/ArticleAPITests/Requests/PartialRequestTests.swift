import ArticleAPI
import BroadsheetHTTP
import Testing

/// Asking for some attributes only.
struct SparseTests {
    @Test func `a sparse request has the same endpoint`() {
        let request = PartialRequest(
            FetchArticlesRequest(limit: 5), fields: ["title", "authors.name"])
        #expect(type(of: request).endpoint == FetchArticlesRequest.endpoint)
        #expect(
            RequestPrinter.target(of: request) == "/v1/articles?limit=5&fields=authors.name,title")
    }

    @Test func `its response has the selected attributes and the id`() throws {
        let fields = FieldSelection(["title", "authors.name", "tags"])
        let bytes = Page<Article>.encoding.write(Page(items: [Samples.article], next: "c"), fields)
        let page = try ResponseMapper<PartialRequest<FetchArticlesRequest>.Item>().map(bytes)
        let article = try #require(page.items.first)
        #expect(page.next == "c")
        #expect(article.id == Samples.article.id)
        #expect(article.title == Samples.article.title)
        #expect(article.authors?.map(\.name) == ["Ada"])
        #expect(article.authors?.first?.id == Samples.authorID)
        #expect(article.tags?.map(\.key) == ["swift", "한국어"])
        #expect(article.slug == nil)
        #expect(article.createdAt == nil)
    }

    @Test func `of a search, the titles and excerpts remain`() throws {
        let bytes = SearchPage<Article>.encoding.write(
            Samples.searchPage, FieldSelection(["slug"]))
        let page = try ResponseMapper<PartialRequest<SearchArticlesRequest>.Item>().map(bytes)
        let hit = try #require(page.items.first)
        #expect(hit.id == Samples.bare.id)
        #expect(hit.article.slug == Samples.bare.slug)
        #expect(hit.article.title == nil)
        #expect(hit.title == Samples.searchPage.items[0].title)
        #expect(hit.excerpt == Samples.searchPage.items[0].excerpt)
        #expect(page.next == "c_1" && page.correctedTo == "hello 구조")
    }

    @Test func `the order of a selection does not matter`() {
        let one = FieldSelection(["authors.name", "title", "authors", "title"])
        #expect(one == FieldSelection(["title", "authors"]))
        #expect(one.names == ["authors", "title"])
        #expect(one.contains("authors"))
        #expect(!one.contains("author"))
        #expect(FieldSelection(["authors.name"]).contains("authors"))
        #expect(!FieldSelection(["authorship"]).contains("author"))
    }

    @Test func `the names of attributes are constants, or text`() {
        let typed: FieldSelection = [.title, .authors(.name), .heroImage(.alternativeText)]
        #expect(typed.names == ["authors.name", "heroImage.alternativeText", "title"])
        #expect(typed == ["title", "authors.name", "heroImage.alternativeText"])
    }

    @Test func `an article with an attribute that lists omit is complete`() throws {
        let request = FetchArticleRequest(key: .slug("a"), including: .bodyHTML)
        var article = Samples.article
        article.bodyHTML = "<p>a</p>"
        article.commentCount = 3
        let bytes = Article.encoding.write(article, request.fields)
        article.commentCount = nil
        #expect(try Article(mapping: bytes) == article)
        let lists = FieldSelection.articles()
        for name in Article.shape.properties.map(\.name) {
            let isLeftOut = ["body", "bodyHTML", "commentCount"].contains(name)
            #expect(lists.contains(name) == !isLeftOut)
        }
        let printed = RequestPrinter.print(request)
        let source = try #require(RequestSource(printed, for: FetchArticleRequest.endpoint))
        #expect(try FetchArticleRequest(parsing: source) == request)
    }

    @Test func `a partial article has the attributes of an article`() {
        #expect(PartialArticle.shape.properties.map(\.name) == Article.shape.properties.map(\.name))
    }
}
