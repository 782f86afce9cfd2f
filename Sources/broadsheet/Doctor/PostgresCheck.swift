import ArticleDatabase
import ArticleStore

/// Checks whether a PostgreSQL database responds, and whether it can be served.
struct PostgresCheck {
    let database: String
    let isServed: Bool

    func run(_ findings: inout Diagnostics) {
        let subject = "database"
        if isServed { findings.ok("served", "by a server that responds on its control socket") }
        do throws(StoreOpeningError) {
            let facts = try PostgresFacts(of: PostgresAddress(database))
            if facts.schema > PostgresStore.schemaVersion {
                findings.failure(
                    subject, "\(database) has schema version \(facts.schema) of a newer broadsheet",
                    do: "install the newer version of broadsheet")
            } else if facts.schema == 0 {
                findings.ok(subject, "\(database) responds and is empty; serve initializes it")
            } else {
                findings.ok(
                    subject, "\(database) responds: PostgreSQL \(facts.server), durable commits")
            }
        } catch {
            findings.failure(
                subject, error.description,
                do: "see that the server runs, that this user may connect, and that the password "
                    + "is in ~/.pgpass or PGPASSWORD")
        }
    }
}
