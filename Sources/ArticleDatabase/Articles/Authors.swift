public import ArticleAPI
public import ArticleStore

/// Authors. Each has a facet with the same number.
extension SQLStore {
    public func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Author, Author.ID> {
        try await read { (state) throws(StoreError) in
            try state.authors(after: id, limit: limit, visibleTo: audience)
        }
    }

    public func author(
        _ id: Author.ID, visibleTo audience: Audience
    ) async throws(StoreError) -> Author {
        try await read { (state) throws(StoreError) in
            try state.author(id, visibleTo: audience)
        }
    }

    public func putAuthor(
        _ id: Author.ID, _ replacement: Author.Replacement, expecting expectation: Precondition,
        by edit: Edit
    ) async throws(StoreError) -> (author: Author, isNew: Bool) {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            let (author, isNew) = try step.putAuthor(
                id, replacement, expecting: expectation, at: edit.time)
            try step.keep(.author(author, isNew: isNew), of: edit)
            return (author, isNew)
        }
    }
}

extension SQL {
    fileprivate static let author: StaticString = """
        SELECT number, id, name, about, website, created_at, updated_at, revision
        FROM authors WHERE id = ?1
        """
    static let authorsAfter: StaticString = """
        SELECT number, id, name, about, website, created_at, updated_at, revision
        FROM authors WHERE id > ?1 ORDER BY id
        """
    fileprivate static let oldestAuthorNamed: StaticString = """
        SELECT number FROM authors WHERE name = ?1 ORDER BY created_at, id LIMIT 1
        """
    /// Many authors that are hidden from a writer may have the same name.
    static let authorsNamed: StaticString = """
        SELECT number FROM authors WHERE name = ?1 ORDER BY created_at, id LIMIT 1000
        """
    fileprivate static let hasPublic: StaticString = """
        SELECT 1 FROM listings WHERE facet = ?1 AND state = 1 LIMIT 1
        """
    fileprivate static let insertAuthor: StaticString = """
        INSERT INTO authors (
            number, id, name, about, website, created_at, updated_at, revision)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    /// With the parameters of `insertAuthor`; the id and the time of creation stay as they are.
    fileprivate static let updateAuthor: StaticString = """
        UPDATE authors SET name = ?3, about = ?4, website = ?5, updated_at = ?7, revision = ?8
        WHERE number = ?1
        """
}

extension Snapshot {
    func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) throws(StoreError) -> Slice<Author, Author.ID> {
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.authorsAfter)
        if let id { try row.bind(1, id) } else { try row.bind(1, [UInt8]()) }
        var page = Slice<Author, Author.ID>(items: [], next: nil)
        var examined = 0
        var frontier = id
        while try row.step() {
            guard examined < limits.examinedRowsPerPage else {
                page.next = frontier
                return page
            }
            examined += 2
            let author = try Author(row)
            if try isVisible(row.integer(0), to: audience) {
                guard page.items.count < limit else {
                    page.next = page.items.last?.id
                    return page
                }
                page.items.append(try versioned(author))
            }
            frontier = author.id
        }
        return page
    }

    func author(
        _ id: Author.ID, visibleTo audience: Audience
    ) throws(StoreError) -> Author {
        guard let found = try author(id), try isVisible(found.number, to: audience) else {
            throw .notFound
        }
        return try versioned(found.author)
    }

    /// The author with its version, as callers see it.
    func versioned(_ author: Author) throws(StoreError) -> Author {
        var author = author
        author.version = try text(of: author.version())
        return author
    }

    /// The author without a version, independent of the database's history.
    func author(_ id: Author.ID) throws(StoreError) -> (number: Int64, author: Author)? {
        let row = try connection.statement(SQL.author)
        try row.bind(1, id)
        return try row.step() ? (row.integer(0), Author(row)) : nil
    }

    fileprivate func isVisible(
        _ author: Int64, to audience: Audience
    ) throws(StoreError) -> Bool {
        switch audience {
        case .editors: return true
        case .author(let id):
            if try hiddenArticles(of: id, under: author) != nil { return true }
        case .everyone: break
        }
        let row = try connection.statement(SQL.hasPublic)
        try row.bind(1, author)
        return try row.step()
    }
}

extension Author {
    /// Reads the columns of `SQL.author`.
    init(_ row: borrowing Statement) throws(StoreError) {
        self.init(
            id: try row.identifier(1), name: row.text(2), about: row.text(3),
            website: row.optionalText(4), createdAt: row.time(5), updatedAt: row.time(6),
            revision: Int(row.integer(7)))
    }
}

extension WriteStep {
    func putAuthor(
        _ id: Author.ID, _ replacement: Author.Replacement, expecting expectation: Precondition,
        at time: Timestamp
    ) throws(StoreError) -> (author: Author, isNew: Bool) {
        let found = try state.author(id)
        try expectation.check(found.map { $0.author.version(number: $0.number) }, in: state)
        let before: Author? = if let found { try state.versioned(found.author) } else { nil }
        try replacement.checkReadOnly(id: id, against: before)
        guard let found else {
            let author = Author(
                id: id, name: replacement.name, about: replacement.about,
                website: replacement.website,
                createdAt: time, updatedAt: time)
            _ = try insert(author)
            return (try state.versioned(author), true)
        }
        var author = found.author
        author.name = replacement.name
        author.about = replacement.about
        author.website = replacement.website
        if author == found.author { return (try state.versioned(author), false) }
        author.updatedAt = max(time, author.updatedAt)
        author.revision += 1
        try write(author, number: found.number, by: SQL.updateAuthor)
        return (try state.versioned(author), false)
    }

    /// Inserts a new author and its facet, which has the same number.
    func insert(_ author: Author) throws(StoreError) -> Int64 {
        let facet = try connection.statement(SQL.insertFacet)
        try facet.bind(1, FacetKind.author.rawValue)
        try facet.bind(2, author.id)
        let number = try facet.insert()
        try write(author, number: number, by: SQL.insertAuthor)
        return number
    }

    /// Inserts or updates the row of an author, and records the change.
    private func write(
        _ author: Author, number: Int64, by sql: StaticString
    ) throws(StoreError) {
        let row = try connection.statement(sql)
        try row.bind(1, number)
        try row.bind(2, author.id)
        try row.bind(3, author.name)
        try row.bind(4, author.about)
        try row.bind(5, author.website)
        try row.bind(6, author.createdAt)
        try row.bind(7, author.updatedAt)
        try row.bind(8, author.revision)
        try row.run()
        connection.names.forgetAuthors()
        let isPublic = try state.publicArticles(ofAuthor: number) > 0
        let sequence = try recordChange(
            of: .author(author.id), number: number, revision: author.revision, isDeletion: false,
            isPublic: isPublic)
        try recordTransitions(
            ofAuthor: number, revision: author.revision, at: sequence, isPublic: isPublic)
    }

    /// The authors that are mentioned, among those that the writer sees. Others are not disclosed:
    /// they could be published by an article that mentions them.
    func resolve(
        _ mentions: [Author.Mention], by edit: Edit
    ) throws(StoreError) -> [Int64] {
        var numbers: [Int64] = []
        for (index, mention) in mentions.enumerated() {
            let number = try resolve(mention, index: index, by: edit)
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }

    private func resolve(
        _ mention: Author.Mention, index: Int, by edit: Edit
    ) throws(StoreError) -> Int64 {
        switch mention {
        case .id(let id, let name):
            guard let found = try state.author(id),
                try state.isVisible(found.number, to: edit.audience)
            else {
                throw .unknownAuthor(index: index, id)
            }
            if let name, name != found.author.name {
                throw .authorDiffers(index: index, name: found.author.name)
            }
            return found.number
        case .name(let name):
            if let known = try author(named: name, visibleTo: edit.audience) { return known }
            let time = edit.time
            let id: Author.ID = connection.effects.newID(at: time)
            return try insert(Author(id: id, name: name, createdAt: time, updatedAt: time))
        }
    }

    private func author(
        named name: String, visibleTo audience: Audience
    ) throws(StoreError) -> Int64? {
        guard audience == .editors else {
            let row = try connection.statement(SQL.authorsNamed)
            try row.bind(1, name)
            while try row.step() {
                let number = row.integer(0)
                if try state.isVisible(number, to: audience) { return number }
            }
            return nil
        }
        if let number = connection.names.authorsByName[name] { return number }
        let row = try connection.statement(SQL.oldestAuthorNamed)
        try row.bind(1, name)
        guard try row.step() else { return nil }
        connection.names.authorsByName[name] = row.integer(0)
        return row.integer(0)
    }
}

extension Author {
    /// - Parameter number: that of its row, if the version is to be compared.
    func version(number: Int64? = nil) -> VersionedRevision<Author> {
        VersionedRevision(
            id: id, revision: revision, time: updatedAt,
            subject: number.map { (.author, $0) })
    }
}
