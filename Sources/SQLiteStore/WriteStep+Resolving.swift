import ArticleAPI
import ArticleStore

extension WriteStep {
    /// Resolves the content's slug, authors, tags and body to stored rows, which are created if
    /// needed.
    func resolve(
        _ content: ArticleContent, for article: Int64, id: Article.ID,
        current: (content: StoredContent, body: String)?, at time: Timestamp
    ) throws(StoreError) -> StoredContent {
        let body: Int64
        if let current, current.body.utf8.elementsEqual(content.body.utf8) {
            body = current.content.body
        } else {
            body = try insertBody(content.body)
        }
        if let html = content.bodyHTML { try keep(html, ofBody: body) }
        return StoredContent(
            state: try StoredState(content.status), publishedAt: content.publishedAt,
            slug: try resolve(
                content.slug, for: article, keeping: current?.content.slug ?? id.description),
            title: content.title, summary: content.summary, language: content.language,
            authors: try resolve(content.authors, at: time), tags: try resolve(content.tags),
            heroImage: content.heroImage, source: content.source, wordCount: content.wordCount,
            readingMinutes: content.readingMinutes, body: body,
            bodyBytes: content.body.utf8.count)
    }

    func insertBody(_ text: String) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.insertBody)
        try row.bind(1, text)
        return try row.insert()
    }

    /// Stores the rendered body, replacing that of another renderer.
    func keep(_ html: BodyHTML, ofBody body: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.keepRendering)
        try row.bind(1, body)
        try row.bind(2, html.renderer)
        try row.bind(3, html.html)
        try row.run()
    }

    // MARK: Slugs

    /// Registers the chosen slug for the article, unless it is or was the article's own.
    private func resolve(
        _ choice: SlugChoice, for article: Int64, keeping current: String
    ) throws(StoreError) -> String {
        switch choice {
        case .keep: return try claimed(current, for: article)
        case .exactly(let slug): return try claimed(slug, for: article)
        case .like(let slug):
            if try claim(slug, for: article) { return slug }
            return try claimed(nextFree(like: slug, for: article), for: article)
        }
    }

    func claimed(_ slug: String, for article: Int64) throws(StoreError) -> String {
        guard try claim(slug, for: article) else { throw .slugTaken(slug) }
        return slug
    }

    /// Registers the slug for the article; `false` if it belongs to another one.
    private func claim(_ slug: String, for article: Int64) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.insertSlug)
        try row.bind(1, slug)
        try row.bind(2, article)
        if try row.insertUnlessTaken() != nil { return true }
        return try owner(of: slug) == article
    }

    /// The first free one of `x-2`, `x-3`, … `x-17`. After these, a free one that follows a taken
    /// one, found by doubling and bisection: a thousand posts with the same title must not take a
    /// thousand steps.
    private func nextFree(like slug: String, for article: Int64) throws(StoreError) -> String {
        for number in 2...17 {
            let candidate = Self.slug(slug, number)
            if try isFree(candidate, for: article) { return candidate }
        }
        var taken = 17
        var free = 34
        while try !isFree(Self.slug(slug, free), for: article) {
            taken = free
            free *= 2
            guard free < 1 << 40 else { throw .slugTaken(slug) }
        }
        // Invariant: `taken` is taken, `free` is free, and taken < free.
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if try isFree(Self.slug(slug, middle), for: article) {
                free = middle
            } else {
                taken = middle
            }
        }
        return Self.slug(slug, free)
    }

    private func isFree(_ slug: String, for article: Int64) throws(StoreError) -> Bool {
        let owner = try owner(of: slug)
        return owner == nil || owner == article
    }

    private func owner(of slug: String) throws(StoreError) -> Int64? {
        let row = try connection.statement(SQL.slugOwner)
        try row.bind(1, slug)
        return try row.step() ? row.integer(0) : nil
    }

    /// `base-number`, with the base truncated to a total of 100 characters.
    static func slug(_ base: String, _ number: Int) -> String {
        let suffix = "-\(number)"
        var cut = base[...]
        while cut.unicodeScalars.count + suffix.utf8.count > 100 { cut.removeLast() }
        while cut.hasSuffix("-") { cut.removeLast() }
        return cut + suffix
    }

    // MARK: Tags and authors

    private func resolve(_ tags: [Tag]) throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        for tag in tags {
            let number = try facet(.tag, key: tag.key, name: tag.name)
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }

    private func resolve(
        _ mentions: [Author.Mention], at time: Timestamp
    ) throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        for (index, mention) in mentions.enumerated() {
            let number = try resolve(mention, index: index, at: time)
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }

    private func resolve(
        _ mention: Author.Mention, index: Int, at time: Timestamp
    ) throws(StoreError) -> Int64 {
        switch mention {
        case .id(let id, let name):
            guard let found = try state.author(id) else {
                throw .unknownAuthor(index: index, id)
            }
            if let name, name != found.author.name {
                throw .authorDiffers(index: index, name: found.author.name)
            }
            return found.number
        case .name(let name):
            let known = try connection.names.author(named: name) { () throws(StoreError) in
                let row = try connection.statement(SQL.oldestAuthorNamed)
                try row.bind(1, name)
                return try row.step() ? row.integer(0) : nil
            }
            if let known { return known }
            return try insert(
                Author(id: Author.ID(at: time), name: name, createdAt: time, updatedAt: time))
        }
    }
}

extension WriteStep {
    /// The actor of an edit, which gets a row for its first one.
    func stored(_ actor: Edit.Actor) throws(StoreError) -> StoredActor {
        switch actor {
        case .operator: .theOperator
        case .key(let id): .numbered(try number(of: .key, id, name: nil))
        case .unrecorded(let name): .unrecorded(name: name)
        }
    }

    /// The actor of a restored revision. Throws `.conflict` with this name of the revision if there
    /// is no such actor.
    func stored(
        _ actor: Revision.Actor, of revision: String
    ) throws(StoreError) -> StoredActor {
        switch (actor.kind, actor.id) {
        case (.operator, nil): return .theOperator
        case (.key, let id?): return .numbered(try number(of: .key, id, name: actor.name))
        case (.user, let id?): return .numbered(try number(of: .user, id, name: actor.name))
        case (.unrecorded, nil): return .unrecorded(name: actor.name)
        default: throw .conflict("\(revision): its actor is invalid")
        }
    }

    /// The row of an actor. A new one keeps the name only if it cannot be looked up by the id.
    private func number(
        of kind: ActorKind, _ id: String, name: String?
    ) throws(StoreError) -> Int64 {
        try connection.names.actor(kind, id) { () throws(StoreError) in
            let known = try connection.statement(SQL.actorNumber)
            try known.bind(1, kind.rawValue)
            try known.bind(2, id)
            if try known.step() { return known.integer(0) }
            let row = try connection.statement(SQL.insertActor)
            try row.bind(1, kind.rawValue)
            try row.bind(2, id)
            try row.bind(3, name)
            return try row.insert()
        }
    }
}
