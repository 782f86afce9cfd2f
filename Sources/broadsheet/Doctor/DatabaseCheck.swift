import ArticleStore
import SQLiteStore
import Sockets

/// The database: whether it is there, sound and served.
struct DatabaseCheck {
    let path: String
    let owner: ControlClient?

    func run(_ findings: inout Diagnostics) async {
        let subject = "database"
        if let owner {
            findings.ok("served", "by a server that answers on its control socket")
            do throws(StoreError) {
                tell(try await owner.check(), &findings)
            } catch {
                findings.failure(
                    subject, "its server cannot examine it: \(error.reason)",
                    do: "see what the server's log says")
            }
            return
        }
        do throws(StoreOpeningError) {
            tell(try SQLiteStore.check(path: path), &findings)
            findings.ok("served", "by nobody")
        } catch {
            tell(error, &findings)
        }
    }

    private func tell(_ report: CheckReport, _ findings: inout Diagnostics) {
        guard report.isClean else {
            return findings.failure(
                "database",
                "\(path): \(report.findings.count) findings, first: "
                    + "\(report.findings.first ?? "")",
                do: "stop serving it and restore a backup: "
                    + "broadsheet restore FILE --replace keeps this one")
        }
        findings.ok(
            "database",
            "\(path) is sound: \(report.articles) articles, \(report.revisions) revisions")
    }

    private func tell(_ error: StoreOpeningError, _ findings: inout Diagnostics) {
        let subject = "database"
        switch error {
        case .missing:
            let folder = FileFacts.folder(of: path)
            guard FileFacts.canWrite(folder) else {
                return findings.failure(
                    subject, "\(path) is not there, and cannot be made in \(folder)",
                    do: "make that folder, owned by the user who serves")
            }
            findings.ok(subject, "\(path) is not there yet; serve makes it")
        case .unfinished, .older: findings.ok(subject, error.description)
        case .owned:
            findings.warning(
                "served", "\(path) is in use, but no server answers on its control socket",
                do: "wait if another command is at work; else see what the server's log says")
        case .newer:
            findings.failure(subject, error.description, do: "install the newer broadsheet again")
        case .foreign:
            findings.failure(subject, error.description, do: "name the right file by --database")
        case .damaged, .noRoom:
            findings.failure(
                subject, error.description, do: "broadsheet restore FILE --replace takes a backup")
        case .failed:
            findings.failure(
                subject, error.description, do: "let the user who serves read and write it")
        }
    }
}
