import ArticleStore
import CSQLite

extension StoreError {
    /// The only place that interprets SQLite's result codes (https://www.sqlite.org/rescode.html).
    init(code: Int32, message: String) {
        let text = "SQLite \(code): \(message)"
        self =
            switch code & 0xFF {
            case SQLITE_FULL: .full
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .corrupt(text)
            default: .unavailable(text)
            }
    }
}
