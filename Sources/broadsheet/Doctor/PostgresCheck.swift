import ArticleDatabase
import ArticleStore
import BroadsheetPlatform

/// Checks that a PostgreSQL database responds, can be served, and is sound.
struct PostgresCheck {
    let database: String
    let owner: ControlClient?

    func run(_ findings: inout Diagnostics) async {
        let subject = "database"
        if owner != nil { findings.ok("served", "by a server that responds on its control socket") }
        do throws(StoreOpeningError) {
            let address = try PostgresAddress(database)
            let facts = try PostgresInspection(of: address)
            if facts.schema > PostgresStore.schemaVersion {
                return findings.failure(
                    subject, "\(database) has schema version \(facts.schema) of a newer broadsheet",
                    do: "install the newer version of broadsheet")
            }
            if facts.schema < PostgresStore.schemaVersion, !facts.mayMigrate {
                return findings.failure(
                    subject,
                    facts.schema == 0
                        ? "\(database) has no tables of broadsheet that the role can see, and the "
                            + "role may not create any"
                        : "\(database) is older than this broadsheet, and the role may not change "
                            + "its tables",
                    do: "serve it once as its owner; then grant the role USAGE on the schema, and "
                        + "SELECT, INSERT, UPDATE and DELETE on all tables")
            }
            if facts.schema == 0 {
                return findings.ok(
                    subject, "\(database) responds and is empty; serve initializes it")
            }
            findings.ok(
                subject, "\(database) responds: PostgreSQL \(facts.server), durable commits")
            if let table = facts.forbiddenTables.first {
                findings.failure(
                    subject,
                    "the role lacks rights on \(facts.forbiddenTables.count.counted("table")), "
                        + "such as \(table): serve would fail",
                    do: "connect as their owner, or grant the role SELECT, INSERT, UPDATE and "
                        + "DELETE on all of them")
            }
            if facts.schema == PostgresStore.schemaVersion {
                try await examine(address, &findings)
            } else {
                try examineOlder(address, &findings)
            }
        } catch {
            findings.failure(
                subject, error.description,
                do: "check that the server runs, that this user may connect, and that the password "
                    + "is in ~/.pgpass or PGPASSWORD")
        }
    }

    private func examineOlder(
        _ address: PostgresAddress, _ findings: inout Diagnostics
    ) throws(StoreOpeningError) {
        do throws(StoreOpeningError) {
            _ = try PostgresStore.check(address)
        } catch .older {
            findings.ok("database", "\(database) is older than this broadsheet; serve upgrades it")
        } catch .unsupported(_, let version) {
            findings.failure(
                "database",
                StoreOpeningError.unsupported(path: database, version: version).description,
                do: "import the export into a new database")
        }
    }

    private func examine(
        _ address: PostgresAddress, _ findings: inout Diagnostics
    ) async throws(StoreOpeningError) {
        let report: CheckReport
        if let owner {
            do throws(StoreError) { report = try await owner.check() } catch {
                return findings.addFailedCheck(error)
            }
        } else {
            report = try PostgresStore.check(address)
        }
        findings.add(
            report, of: database, isServed: owner != nil,
            remedy: "stop the server, and restore the database with PostgreSQL's own tools, or "
                + "migrate a backup to another one")
    }
}
