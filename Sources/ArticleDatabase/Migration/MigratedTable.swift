import ArticleStore
import BroadsheetSQLite

/// A table whose rows are copied from one engine to the other, without knowledge of their meaning.
///
/// Tables and columns are found in the schema, so that none can be forgotten.
struct MigratedTable: Sendable {
    struct Column: Sendable {
        let name: String
        let kind: RowFormat.Kind
    }

    let name: String
    let columns: [Column]
    /// The columns of the primary key.
    let keys: [Column]
    /// True if its rows are counters that triggers maintain: they are not copied but compared.
    let isDerived: Bool

    /// Their rows follow from those of the tables that have the triggers.
    private static let derived: Set = ["kept_counts", "used_token_count", "user_count"]

    /// `a, b, c`, with quotation marks, as some are words of SQL.
    var columnList: String { Self.list(columns) }
    var keyList: String { Self.list(keys) }
    /// The columns of a file's table of keys. They have types: SQLite compares a column without one
    /// with a number only after a conversion, for which it cannot use the index.
    var keyDeclarations: String {
        keys.map { key in
            let type =
                switch key.kind {
                case .integer: " INTEGER"
                case .real: " REAL"
                case .text: " TEXT"
                case .bytes: " BLOB"
                case .mixed: ""
                }
            return Self.quoted(key.name) + type
        }.joined(separator: ", ")
    }
    /// `"a" = ?1 AND "b" = ?2`.
    var keyCondition: String {
        keys.enumerated().map { "\(Self.quoted($1.name)) = ?\($0 + 1)" }
            .joined(separator: " AND ")
    }
    var columnKinds: [RowFormat.Kind] { columns.map(\.kind) }
    var keyKinds: [RowFormat.Kind] { keys.map(\.kind) }

    /// Returns the condition that rows of two relations have the same key.
    func comparison(of one: String, with other: String) -> String {
        keys.map { Self.quoted($0.name) }.map { "\(one).\($0) = \(other).\($0)" }
            .joined(separator: " AND ")
    }

    static func list(_ columns: [Column]) -> String {
        columns.map { quoted($0.name) }.joined(separator: ", ")
    }

    static func quoted(_ name: String) -> String { "\"\(name)\"" }

    /// The tables that a file has, with the columns that PostgreSQL has: in addition to those of
    /// the file, these may be numbers of rows, which a file has by itself.
    static func all(
        of file: SQLiteDatabase<StoreError>, and session: PostgresSession
    ) throws(StoreError) -> [MigratedTable] {
        var tables: [MigratedTable] = []
        let names = try file.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        for name in names {
            // Names become parts of statements, and a file may be anybody's.
            guard isPlain(name) else { throw .corrupt("a table has the name \(name)") }
            let types = try session.columns(of: name)
            guard !types.isEmpty else { throw .corrupt("PostgreSQL has no table \(name)") }
            let mixed = try Set(
                file.texts("SELECT name FROM pragma_table_info('\(name)') WHERE type = 'ANY'"))
            let author = FacetKind.author.rawValue
            guard types.allSatisfy({ isPlain($0.name) }) else {
                throw .corrupt("a column of \(name) has a strange name")
            }
            let columns = try types.map { (column) throws(StoreError) in
                guard mixed.contains(column.name) else {
                    return Column(name: column.name, kind: try kind(column.type))
                }
                guard let index = types.firstIndex(where: { $0.name == "kind" }) else {
                    throw StoreError.corrupt("\(name).\(column.name) may be of any type")
                }
                return Column(name: column.name, kind: .mixed(index: index, bytesIf: author))
            }
            let keys = try session.keys(of: name).compactMap { key in
                columns.first { $0.name == key }
            }
            tables.append(
                MigratedTable(
                    name: name, columns: columns, keys: keys, isDerived: derived.contains(name)))
        }
        return tables
    }

    private static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_")
        }
    }

    private static func kind(_ type: String) throws(StoreError) -> RowFormat.Kind {
        switch type {
        case "bigint": .integer
        case "double precision": .real
        case "text": .text
        case "bytea": .bytes
        default: throw .corrupt("PostgreSQL's type \(type) has no counterpart in a file")
        }
    }
}

extension PostgresSession {
    /// The columns of a table of the current schema, in their order; empty without such a table.
    fileprivate func columns(
        of table: String
    ) throws(StoreError) -> [(name: String, type: String)] {
        let result = try run(
            """
            SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
            WHERE attrelid = to_regclass('\(table)') AND attnum > 0 AND NOT attisdropped
            ORDER BY attnum
            """)
        return (0..<result.rows).map { (result.text($0, 0), result.text($0, 1)) }
    }

    /// The columns of its primary key, without those that its index only includes.
    fileprivate func keys(of table: String) throws(StoreError) -> [String] {
        let result = try run(
            """
            SELECT attname FROM pg_index CROSS JOIN LATERAL
                unnest(indkey::smallint[]) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number
            WHERE indrelid = to_regclass('\(table)') AND indisprimary AND place <= indnkeyatts
            ORDER BY place
            """)
        return (0..<result.rows).map { result.text($0, 0) }
    }
}
