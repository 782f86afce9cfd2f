import ArticleAPI
import ArticleServiceCore
package import ArticleStore
import BroadsheetHTTP

extension User {
    /// All of the user, for the user and for admins.
    package init(_ record: UserRecord) {
        self.init(
            id: record.id, displayName: record.displayName, name: record.name,
            role: User.Role(name: record.role),
            isDisabled: record.isDisabled, createdAt: record.createdAt,
            updatedAt: record.updatedAt, revision: record.revision)
    }

    /// Creates the user as others see it.
    package init(publicOf record: UserRecord) {
        self.init(id: record.id, displayName: record.displayName)
    }
}

extension User: Versioned {
    /// Identifies the revision, also among those of a restored database; `nil` if only the public
    /// part is known.
    var version: String? {
        guard let revision, let updatedAt else { return nil }
        let state = "\(id) \(revision) \(updatedAt)"
        let mark = ByteText.hexadecimal(Digest.sha256(state.utf8).prefix(Epoch.markLength / 2))
        return "\(revision)-\(mark)"
    }
}

extension UserRecord {
    /// The revision that a write expects: this one if the precondition names it, `nil` for any.
    func revision(expectedBy condition: IfMatch?) throws(ServiceError) -> Int? {
        switch Precondition(condition) {
        case .anything, .existing, .nothing: return nil
        case .versions(let versions):
            guard let version = User(self).version, versions.contains(version) else {
                throw .preconditionFailed(current: revision)
            }
            return revision
        }
    }
}
