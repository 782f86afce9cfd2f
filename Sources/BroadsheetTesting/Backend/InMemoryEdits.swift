import ArticleAPI
import BroadsheetHTTP

extension CreateArticleRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Article> {
        let now = state.newTime()
        let id = article.id ?? state.newID()
        guard state.articles[id] == nil else {
            throw .taken(.idTaken, "This id has already been used.", "/id")
        }
        var new = Article(
            id: id, slug: "\(id)", title: article.title, body: nil, language: "en",
            status: .draft, createdAt: now, updatedAt: now, version: state.version(1),
            wordCount: 0, readingMinutes: 0)
        try state.apply(article, to: &new, isNew: true, at: now)
        state.record(new, id, revision: 1)
        return InMemoryReply(item: new, version: new.version, location: "/v1/articles/\(id)")
    }
}

extension UpdateArticleRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Article> {
        guard var current = state.article(id) else { throw .notFound }
        try expected.check(current.version, current.revision)
        let now = state.newTime()
        var draft: Article.Draft
        do throws(InvalidValue) { draft = try current.draft(applying: changes) } catch {
            throw RequestValidationError(.invalid, details: error.details).problem()
        }
        // Without a time, this publishes an article now that has one in the future.
        if changes.status == .set(.published), changes.publishedAt == .keep,
            let time = draft.publishedAt, time > now
        {
            draft.publishedAt = now
        }
        var article = current
        try state.apply(draft, to: &article, isNew: false, at: now)
        if article != current {
            article.revision += 1
            article.version = state.version(article.revision)
            article.updatedAt = max(now, current.updatedAt)
            state.record(article, id, revision: article.revision)
            current = article
        }
        return InMemoryReply(
            item: state.present(current, nil, withBody: true), version: current.version)
    }
}

extension DeleteArticleRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<NoContent> {
        guard let current = state.article(id) else { throw .notFound }
        try expected.check(current.version, current.revision)
        state.record(nil, id, revision: current.revision + 1)
        return InMemoryReply(item: NoContent())
    }
}

extension InMemoryState {
    /// Makes the content of an article that of a draft.
    fileprivate mutating func apply(
        _ draft: Article.Draft, to article: inout Article, isNew: Bool, at now: Timestamp
    ) throws(Problem) {
        let current = article
        let status = draft.status ?? .draft
        let time = status == .published ? draft.publishedAt ?? now : draft.publishedAt
        if isNew || status != current.status || time != current.publishedAt {
            try Self.check(status, time, now)
        }
        article = current.applying(Article.Changes(from: current.draft, to: draft))
        (article.status, article.publishedAt) = (status, time)
        article.language = draft.language ?? "en"
        article.authors = try authors(draft.authors, at: now)
        article.tags = tags(draft.tags)
        if let slug = draft.slug, slug != current.slug {
            if let fault = Slug.fault(slug) { throw .invalid("/slug", fault) }
            guard slugs[slug] ?? article.id == article.id else {
                let detail = "The slug \"\(slug)\" belongs to another article."
                throw .taken(.slugTaken, detail, "/slug")
            }
        } else if isNew, let slug = Slug(title: draft.title) {
            article.slug = freeSlug(like: slug.text, for: article.id)
        }
        slugs[article.slug] = article.id
        if draft.body != current.body {
            // Words are counted as readers see them.
            let measure = TextMeasure(utf8: PlainText.bytes(ofMarkdown: draft.body))
            article.body = draft.body
            article.wordCount = measure.words
            article.readingMinutes = measure.readingMinutes
        }
    }

    /// Rejects a status that does not fit the time.
    private static func check(
        _ status: Article.Status, _ time: Timestamp?, _ now: Timestamp
    ) throws(Problem) {
        let isFuture = time.map { $0 > now }
        if status == .scheduled, isFuture != true {
            throw .invalid(
                "/publishedAt",
                isFuture == nil
                    ? "is required for the status `scheduled`"
                    : "must be in the future for the status `scheduled`")
        }
        if status == .published, isFuture == true {
            throw .invalid(
                "/publishedAt",
                "is in the future; the status for that is `scheduled`, not `published`")
        }
    }

    /// The authors that a draft mentions; those who are not known by name are created.
    private mutating func authors(
        _ mentions: [Author.Mention], at now: Timestamp
    ) throws(Problem) -> [Author.Reference] {
        var found: [Author.Reference] = []
        for (index, mention) in mentions.enumerated() {
            let author: Author
            switch mention {
            case .id(let id, let name):
                guard let known = authors[id] else {
                    throw .invalid("/authors/\(index)/id", "no author has the id \(id)")
                }
                guard name ?? known.name == known.name else {
                    throw .invalid(
                        "/authors/\(index)/name", "this author's name is \"\(known.name)\"")
                }
                author = known
            case .name(let name):
                let known = authors.values.filter { $0.name == name }
                author =
                    known.min { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
                    ?? Author(id: newID(), name: name, createdAt: now, updatedAt: now)
                if known.isEmpty { add(author) }
            }
            guard !found.contains(where: { $0.id == author.id }) else { continue }
            found.append(
                Author.Reference(id: author.id, name: author.name, revision: author.revision))
        }
        return found
    }

    /// The tags with these names; a tag keeps the display name that came first.
    private mutating func tags(_ names: [String]) -> [ArticleTag] {
        var found: [ArticleTag] = []
        for new in names.map(ArticleTag.init(named:)) {
            let tag = tags[new.key] ?? new
            tags[tag.key] = tag
            if !found.contains(where: { $0.key == tag.key }) { found.append(tag) }
        }
        return found
    }
}
