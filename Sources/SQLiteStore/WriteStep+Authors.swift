import ArticleAPI
import ArticleStore

extension WriteStep {
    func putAuthor(
        _ id: Author.ID, expecting expectation: Precondition, at time: Timestamp,
        _ change: (Author?) throws -> AuthorContent
    ) throws(StoreError) -> (author: Author, isNew: Bool) {
        let found = try state.author(id)
        try expectation.check(id, at: found?.author.revision, in: state)
        let content: AuthorContent
        let before: Author? = if let found { try state.versioned(found.author) } else { nil }
        do { content = try change(before) } catch { throw .rejected(error) }
        guard let found else {
            let author = Author(
                id: id, name: content.name, about: content.about, website: content.website,
                createdAt: time, updatedAt: time)
            _ = try insert(author)
            return (try state.versioned(author), true)
        }
        var author = found.author
        author.name = content.name
        author.about = content.about
        author.website = content.website
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
        try recordChange(
            of: .author(author.id), number: number, revision: author.revision, isDeletion: false,
            isPublic: true)
    }
}
