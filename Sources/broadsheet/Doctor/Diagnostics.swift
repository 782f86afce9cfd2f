import ArticleAPI

/// The findings of all checks, in order.
struct Diagnostics: Sendable {
    /// The severity of a finding.
    enum Level: String, Sendable {
        case ok
        /// The server works, but not as it should or not for long.
        case warning
        case failure
    }

    struct Finding: Sendable {
        let subject: String
        let level: Level
        let found: String
        /// The remedy; `nil` if nothing needs to be done.
        let advice: String?
    }

    private(set) var all: [Finding] = []

    var failures: Int { all.count { $0.level == .failure } }

    mutating func ok(_ subject: String, _ found: String) {
        all.append(Finding(subject: subject, level: .ok, found: found, advice: nil))
    }

    mutating func warning(_ subject: String, _ found: String, do advice: String) {
        all.append(Finding(subject: subject, level: .warning, found: found, advice: advice))
    }

    mutating func failure(_ subject: String, _ found: String, do advice: String) {
        all.append(Finding(subject: subject, level: .failure, found: found, advice: advice))
    }

    /// Returns true if a check of this subject found a problem.
    func hasFault(_ subject: String) -> Bool {
        all.contains { $0.subject == subject && $0.level != .ok }
    }

    // MARK: Output

    /// One or two lines per finding, for people.
    var lines: [String] {
        all.flatMap { finding in
            let level = finding.level == .ok ? "ok" : finding.level.rawValue.uppercased()
            let padding = String(repeating: " ", count: 9 - level.count)
            let first = "\(level)\(padding)\(finding.subject): \(finding.found)"
            return [first] + (finding.advice.map { ["         \($0)"] } ?? [])
        }
    }

    /// `{"healthy":true,"findings":[{"subject":"disk","level":"ok","found":"…","advice":null}]}`
    var json: String {
        var writer = JSONWriter()
        writer.object { page in
            page.name("healthy")
            page.boolean(failures == 0)
            page.name("findings")
            page.array { list in
                for finding in all {
                    list.element()
                    Self.write(finding, to: &list)
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func write(_ finding: Finding, to writer: inout JSONWriter) {
        writer.object { line in
            line.name("subject")
            line.string(finding.subject)
            line.name("level")
            line.string(finding.level.rawValue)
            line.name("found")
            line.string(finding.found)
            line.name("advice")
            if let advice = finding.advice { line.string(advice) } else { line.null() }
        }
    }
}
