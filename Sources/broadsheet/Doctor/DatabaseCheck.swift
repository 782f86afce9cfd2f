import ArticleDatabase
import ArticleStore
import BroadsheetPlatform
import BroadsheetSockets

/// Checks whether the database exists, is sound and is being served.
struct DatabaseCheck {
    let path: String
    let owner: ControlClient?

    func run(_ findings: inout Diagnostics) async {
        if let owner {
            findings.ok("served", "by a server that responds on its control socket")
            do throws(StoreError) {
                add(try await owner.check(), &findings)
            } catch {
                findings.addFailedCheck(error)
            }
            return
        }
        do throws(StoreOpeningError) {
            add(try SQLiteStore.check(path: path), &findings)
            findings.ok("served", "not being served")
        } catch {
            add(error, &findings)
        }
    }

    private func add(_ report: CheckReport, _ findings: inout Diagnostics) {
        findings.add(
            report, of: path, isServed: owner != nil,
            remedy: "stop the server and restore a backup: "
                + "broadsheet restore FILE --replace keeps this one")
    }

    private func add(_ error: StoreOpeningError, _ findings: inout Diagnostics) {
        let subject = "database"
        switch error {
        case .missing:
            let folder = FileFacts.folder(of: path)
            guard FileFacts.canWrite(folder) else {
                return findings.failure(
                    subject, "\(path) does not exist and cannot be created in \(folder)",
                    do: "create that folder, owned by the user who runs the server")
            }
            findings.ok(subject, "\(path) does not exist yet; serve creates it")
        case .unfinished, .older: findings.ok(subject, error.description)
        case .owned:
            findings.warning(
                "served", "\(path) is in use, but no server responds on its control socket",
                do: "wait if another command is running; otherwise check the server's log")
        case .newer:
            findings.failure(
                subject, error.description, do: "install the newer version of broadsheet")
        case .unsupported:
            findings.failure(
                subject, error.description, do: "import the export into a new database")
        case .foreign:
            findings.failure(subject, error.description, do: "name the right file with --database")
        case .damaged, .noRoom:
            findings.failure(
                subject, error.description,
                do: "restore a backup: broadsheet restore FILE --replace")
        case .failed, .forbidden, .unreachable, .unsuitable:
            findings.failure(
                subject, error.description, do: "let the user who runs the server read and write it"
            )
        }
    }
}

extension Diagnostics {
    /// - Parameter remedy: the advice for a database that is not sound.
    mutating func add(
        _ report: CheckReport, of database: String, isServed: Bool, remedy: String
    ) {
        let subject = "database"
        if !report.isClean, report.searchFindings == report.findings {
            return warning(
                subject, "\(database): \(report.findings.first ?? "")",
                do: isServed
                    ? "nothing: the server is rebuilding the index"
                    : "serve it and run this again: the server rebuilds the index")
        }
        guard report.isClean else {
            return failure(
                subject,
                "\(database): \(report.findings.count.counted("finding")), the first being: "
                    + "\(report.findings.first ?? "")", do: remedy)
        }
        ok(
            subject,
            "\(database) is sound: \(report.articles.counted("article")), "
                + "\(report.revisions.counted("revision"))")
    }

    mutating func addFailedCheck(_ error: StoreError) {
        failure(
            "database", "its server cannot check it: \(error.reason)",
            do: "check the server's log")
    }
}
