import ArticleAPI
import ArticleStore

/// A revision of a subject that clients may change, with the values that tell it from a revision of
/// the same number that was lost when the database was set back.
struct VersionedRevision<Subject> {
    let id: Identifier<Subject>
    let revision: Int
    /// The time of the revision.
    let time: Timestamp
    /// The part of the state that may change without a time.
    var state: Int64 = 0
    /// The subject of its changes; `nil` if they have no numbers.
    let subject: (kind: SubjectKind, number: Int64)?
}

extension SQL {
    fileprivate static let lastMarkOfSubject: StaticString = """
        SELECT mark FROM changes WHERE kind = ?1 AND subject = ?2 ORDER BY sequence DESC LIMIT 1
        """
}

extension Snapshot {
    /// The text by which clients name the revision.
    func text<Subject>(of version: VersionedRevision<Subject>) throws(StoreError) -> String {
        try epoch().version(
            of: version.id, revision: version.revision, at: version.time, state: version.state)
    }

    /// Returns true if one of the texts names the revision, in the present form or in the one of
    /// the program that made it.
    func isNamed<Subject>(
        _ version: VersionedRevision<Subject>, by texts: Set<String>
    ) throws(StoreError) -> Bool {
        if texts.contains(try text(of: version)) { return true }
        guard let subject = version.subject,
            texts.contains(try epoch().formerVersion(of: version.id, revision: version.revision))
        else { return false }
        // Clients may still edit articles that they fetched before the program was replaced.
        let row = try connection.statement(SQL.lastMarkOfSubject)
        try row.bind(1, subject.kind.rawValue)
        try row.bind(2, subject.number)
        return try row.step() && row.isNull(0)
    }
}

extension Precondition {
    /// Compares the current revision (`nil` if there is none) with the expected state.
    func check<Subject>(
        _ current: VersionedRevision<Subject>?, in state: Snapshot
    ) throws(StoreError) {
        let holds =
            switch self {
            case .anything: true
            case .existing: current != nil
            case .nothing: current == nil
            case .versions(let texts):
                if let current { try state.isNamed(current, by: texts) } else { false }
            }
        guard holds else { throw .preconditionFailed(current: current?.revision) }
    }
}
