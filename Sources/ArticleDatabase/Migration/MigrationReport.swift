public import ArticleStore
import BroadsheetPlatform

/// The result of a verified migration: both databases have the same rows.
public struct MigrationReport: Sendable {
    /// A table that is the same in both.
    public struct Table: Sendable {
        public let name: String
        public let rows: Int
        /// The beginning of a digest of its rows, which does not depend on the engine.
        public let digest: String
    }

    public let tables: [Table]
    /// The number of the last change.
    public let sequence: Int64

    /// Compares the rows of both databases.
    ///
    /// - Throws: `.rejected` with ``MigrationError/differs(_:)``.
    init(
        _ tables: [MigratedTable], sequences: (Int64, Int64),
        _ digests: (MigratedTable) throws(StoreError) -> (TableDigest, TableDigest)
    ) throws(StoreError) {
        var same: [Table] = []
        for table in tables {
            let (source, target) = try digests(table)
            guard source == target else {
                throw .rejected(
                    MigrationError.differs(
                        "the table \(table.name) has \(source.rows.counted("row")), and "
                            + "\(target.rows) in the copy, or their contents differ"))
            }
            same.append(Table(name: table.name, rows: source.rows, digest: source.text))
        }
        guard sequences.0 == sequences.1 else {
            throw .rejected(
                MigrationError.differs(
                    "the last change is \(sequences.0), and \(sequences.1) in the copy"))
        }
        self.tables = same
        sequence = sequences.0
    }

    /// The number of rows of a table.
    public func rows(of table: String) -> Int {
        tables.first { $0.name == table }?.rows ?? 0
    }
}

/// The reason why a database was not moved to the other engine. Neither of both was changed.
public enum MigrationError: Error, Sendable, CustomStringConvertible {
    /// The target is not empty.
    case occupied(String)
    /// The copy is not the same as the source: a defect of this program, or of a disk.
    case differs(String)
    /// More rows were changed during the copy than can be followed.
    case overtaken
    /// Both databases are files, or both are PostgreSQL's.
    case sameEngine

    public var description: String {
        switch self {
        case .occupied(let name):
            "\(name) is not empty: a migration needs an empty database, or a file that does not "
                + "exist"
        case .differs(let what): "the copy is not complete and was discarded: \(what)"
        case .overtaken:
            "too much was changed during the copy; try again when there are fewer writes"
        case .sameEngine:
            "a migration goes from a file to PostgreSQL or back; use backup and restore for files, "
                + "and PostgreSQL's own tools for its databases"
        }
    }
}

/// Called as a migration advances; an error ends it.
public typealias MigrationReporter = (MigrationProgress) throws(StoreError) -> Void

/// The progress of a migration.
public enum MigrationProgress: Sendable {
    /// The number of rows copied, and of all rows.
    case copying(rows: Int, of: Int)
    /// Makes indexes, which takes a while.
    case indexing
    case verifying
}
