import ArticleAPI

extension Article.Replacement {
    /// Rejects read-only attributes that differ from the article's. They are allowed in a
    /// replacement, so that a fetched article can be edited and sent back, but cannot be changed.
    func checkReadOnly(against current: Article) throws(ServiceError) {
        var faults: [Problem.Detail] = []
        func check<Value: Equatable>(_ value: Value?, _ actual: Value?, _ pointer: String) {
            guard let value, value != actual else { return }
            faults.append(
                Problem.Detail("is set by the backend and cannot be changed", at: .pointer(pointer))
            )
        }
        check(content.id, current.id, "/id")
        check(readOnly.createdAt, current.createdAt, "/createdAt")
        check(readOnly.updatedAt, current.updatedAt, "/updatedAt")
        check(readOnly.revision, current.revision, "/revision")
        check(readOnly.version, current.version, "/version")
        guard faults.isEmpty else { throw .invalid(faults) }
    }
}

extension Author.Replacement {
    /// Rejects read-only attributes that differ from the author's.
    func checkReadOnly(id: Author.ID, against current: Author?) throws(ServiceError) {
        var faults: [Problem.Detail] = []
        func check<Value: Equatable>(_ value: Value?, _ actual: Value?, _ pointer: String) {
            guard let value, value != actual else { return }
            faults.append(
                Problem.Detail("is set by the backend and cannot be changed", at: .pointer(pointer))
            )
        }
        check(self.id, id, "/id")
        check(createdAt, current?.createdAt, "/createdAt")
        check(updatedAt, current?.updatedAt, "/updatedAt")
        check(revision, current?.revision, "/revision")
        check(version, current?.version, "/version")
        guard faults.isEmpty else { throw .invalid(faults) }
    }
}
