import ArticleAPI
import BroadsheetSQLite

/// The readable part of a damaged file that the app could not fetch again.
struct DamagedFileReader {
    private(set) var writes: [StoredWrite] = []
    private(set) var pins: [Article.ID] = []
    private(set) var values: [StoredValue] = []

    /// Opens the file once more, as far as that is possible.
    init(_ place: ModelStore.Location) {
        guard let connection = try? DatabaseConnection(place.path, limitBytes: nil) else { return }
        read(connection)
        connection.close()
    }

    init(_ connection: DatabaseConnection) { read(connection) }

    private mutating func read(_ connection: DatabaseConnection) {
        var found: [Int: StoredWrite] = [:]
        // From both ends of the table: a damaged page ends each of them.
        for direction in ["ASC", "DESC"] {
            try? OutboxTable.forEach(direction, in: connection) { found[$0.number] = $0 }
        }
        writes = found.values.sorted { $0.number < $1.number }
        var pinned: [Article.ID] = []
        try? PinTable.forEach(in: connection) { pinned.append($0) }
        pins = pinned
        var stored: [StoredValue] = []
        try? ValueTable.forEach(in: connection) { stored.append($0) }
        values = stored
    }
}
