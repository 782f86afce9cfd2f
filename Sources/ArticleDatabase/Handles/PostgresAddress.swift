public import ArticleStore
import CBroadsheetPostgres

/// The address of a PostgreSQL database: a connection URI, as libpq understands it
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
///
/// It has no password: the arguments of a program are visible to all users of its machine. libpq
/// finds passwords in `~/.pgpass`, in the file of `PGPASSFILE` and in `PGPASSWORD`.
public struct PostgresAddress: Sendable, Hashable {
    /// The URI.
    public let text: String
    /// The name of the database, as far as the URI has one.
    public let database: String

    /// Returns true if a text is meant to be an address, and not the path of a file.
    public static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// - Throws: `.failed` if it is not a valid URI, or contains a password.
    public init(_ text: String) throws(StoreOpeningError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            PQfreemem(message)
            // libpq's message may quote the password.
            throw .unsuitable(path: "the database", reason: "its URL is invalid")
        }
        defer { PQconninfoFree(options) }
        var option = options
        var database = "postgres"
        // Invariant: no option before this one is a password.
        while let keyword = option.pointee.keyword {
            let isSecret = ["password", "sslpassword"].contains(String(cString: keyword))
            if isSecret, option.pointee.val != nil {
                throw .unsuitable(
                    path: "the database",
                    reason: "its URL contains a password, which everybody on this machine could "
                        + "read; put it in ~/.pgpass or PGPASSWORD instead")
            }
            if String(cString: keyword) == "dbname", let value = option.pointee.val {
                database = String(cString: value)
            }
            option += 1
        }
        self.text = text
        self.database = database
    }
}
