import ArticleAPI

extension Article.Replacement {
    /// Refuses read-only attributes that say something else than the article does: they may stand
    /// in a replacement, so that get, edit, put works, but they cannot be edited.
    func checkReadOnly(against current: Article) throws(ServiceError) {
        var faults: [Problem.Detail] = []
        func check<Value: Equatable>(_ value: Value?, _ standing: Value?, _ pointer: String) {
            guard let value, value != standing else { return }
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
    /// Refuses read-only attributes that say something else than the author does.
    func checkReadOnly(id: Author.ID, against current: Author?) throws(ServiceError) {
        var faults: [Problem.Detail] = []
        func check<Value: Equatable>(_ value: Value?, _ standing: Value?, _ pointer: String) {
            guard let value, value != standing else { return }
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
