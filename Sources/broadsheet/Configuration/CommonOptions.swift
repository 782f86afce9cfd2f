import BroadsheetCommandLine

/// Options that several commands share.
enum CommonOptions {
    /// The options of every command that works on a database.
    static let ofDatabase = [database, config]
    static let database = Option(
        "database", "FILE", "Database file, or a postgresql:// URL.", default: "broadsheet.db")
    static let config = Option(
        "config", "FILE", "JSON file with values for any of these options.")
}
