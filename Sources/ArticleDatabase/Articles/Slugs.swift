import ArticleAPI
import ArticleStore

/// The names of articles in URLs, current and former ones. A slug belongs to one article forever.
extension SQL {
    fileprivate static let slugOwner: StaticString = "SELECT article FROM slugs WHERE slug = ?1"
    fileprivate static let isPublicSlug: StaticString = """
        SELECT 1 FROM slugs WHERE slug = ?1 AND public_from IS NOT NULL
        """
    fileprivate static let slugsOfArticle: StaticString = """
        SELECT slug FROM slugs WHERE article = ?1 ORDER BY slug
        """
    // Any revision that was published also makes its slug public.
    fileprivate static let formerSlugsOfArticle: StaticString = """
        SELECT slug FROM slugs WHERE article = ?1 AND public_from IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM revisions WHERE row > ?1 << 20 AND row < (?1 + 1) << 20
                AND revisions.slug = slugs.slug AND state = 1 AND action <> 2)
        ORDER BY slug
        """
    fileprivate static let insertSlug: StaticString = """
        INSERT INTO slugs (slug, article) VALUES (?1, ?2) ON CONFLICT (slug) DO NOTHING
        """
    fileprivate static let publishSlug: StaticString = """
        UPDATE slugs SET public_from = ?2 WHERE slug = ?1 AND public_from IS NULL
        """
}

extension Snapshot {
    /// Returns true if the public knows the article by this slug.
    func isPublic(_ slug: String) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.isPublicSlug)
        try row.bind(1, slug)
        return try row.step()
    }

    /// All slugs including the current one, in byte order.
    func slugs(of article: Int64) throws(StoreError) -> [String] {
        try slugs(SQL.slugsOfArticle, of: article)
    }

    /// The slugs by which the public knows the article, or will know it, though it never was
    /// published here by them; in byte order.
    func formerSlugs(of article: Int64) throws(StoreError) -> [String] {
        try slugs(SQL.formerSlugsOfArticle, of: article)
    }

    private func slugs(
        _ sql: StaticString, of article: Int64
    ) throws(StoreError) -> [String] {
        let row = try connection.statement(sql)
        try row.bind(1, article)
        var slugs: [String] = []
        while try row.step() { slugs.append(row.text(0)) }
        return slugs
    }
}

extension WriteStep {
    /// Registers the chosen slug for the article, unless it is or was the article's own.
    ///
    /// An author's slug that is taken gets a part of the id, which is random: a number would tell
    /// the author how many hidden articles have the same title.
    func resolve(
        _ choice: SlugChoice, for article: Int64, _ id: Article.ID, keeping current: String,
        as audience: Audience
    ) throws(StoreError) -> String {
        switch choice {
        case .keep: return try claimed(current, for: article)
        case .exactly(let slug): return try claimed(slug, for: article)
        case .like(let slug):
            if try claim(slug, for: article) { return slug }
            guard audience == .editors else {
                return try claimed(Self.slug(slug, "\(id)".suffix(8)), for: article)
            }
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

    /// Registers slugs that led to the article elsewhere, except for those of other articles. The
    /// public knows it by them as soon as it sees the article.
    func claim(
        former slugs: [String], for article: Int64, at time: Timestamp
    ) throws(StoreError) {
        for slug in slugs where try claim(slug, for: article) {
            let row = try connection.statement(SQL.publishSlug)
            try row.bind(1, slug)
            try row.bind(2, time)
            try row.run()
        }
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

    private static func slug(_ base: String, _ number: Int) -> String {
        slug(base, "\(number)"[...])
    }

    /// `base-ending`, with the base truncated to a total of 100 characters.
    private static func slug(_ base: String, _ ending: Substring) -> String {
        let suffix = "-\(ending)"
        var cut = base[...]
        while cut.unicodeScalars.count + suffix.utf8.count > 100 { cut.removeLast() }
        while cut.hasSuffix("-") { cut.removeLast() }
        return cut + suffix
    }

    /// Records the time since which the public knows the article by its slug.
    func publishSlug(_ step: RevisionData, after previous: StoredArticle?) throws(StoreError) {
        guard !step.isDeletion, step.content.state == .published else { return }
        if let previous, previous.state == .published,
            previous.revision.content.slug == step.content.slug
        {
            return
        }
        let row = try connection.statement(SQL.publishSlug)
        try row.bind(1, step.content.slug)
        try row.bind(2, step.time)
        try row.run()
    }
}
