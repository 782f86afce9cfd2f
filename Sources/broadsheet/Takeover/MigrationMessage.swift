import ArticleDatabase
import BroadsheetPlatform
import BroadsheetSockets

/// The messages between `broadsheet migrate` and the server of the source, a line each:
///
///     command  to <database>
///     server   copying <rows> <all>, indexing, verifying   while it copies
///              catching-up <rows>                          while it copies what changed meanwhile
///              following <rows> <milliseconds>             every second or more often afterwards
///              same <table> <rows> <digest>                for each, when another command asks
///              moved <tables> <sequence>                   for the takeover
///              serving <process>, failed <reason>          as in `UpgradeMessage`
///
/// The migration ends when the command does.
enum MigrationMessage: Equatable {
    case to(String)
    case copying(rows: Int, of: Int)
    case indexing
    case verifying
    /// The number of rows changed during the copy.
    case catchingUp(rows: Int)
    /// The number of rows changed, and the maximum age of the copy.
    case following(rows: Int, milliseconds: Int)
    case same(table: String, rows: Int, digest: String)
    case moved(tables: Int, sequence: Int64)

    /// The protocols' names in `Upgrade`, which also say their versions. In the second one, the
    /// command names the database that the server is to move to, and the server sends the outcome.
    static let protocolName = "broadsheet-migration/1"
    static let takeoverName = "broadsheet-migrated/1"

    init(_ progress: MigrationProgress) {
        self =
            switch progress {
            case .copying(let rows, let total): .copying(rows: rows, of: total)
            case .indexing: .indexing
            case .verifying: .verifying
            }
    }

    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().map { Int($0) }
        switch (words.first, words.count) {
        case ("to", 2...): self = .to(String(line.dropFirst(3)))
        case ("copying", 3):
            guard let rows = numbers[0], let total = numbers[1] else { return nil }
            self = .copying(rows: rows, of: total)
        case ("indexing", 1): self = .indexing
        case ("verifying", 1): self = .verifying
        case ("catching-up", 2):
            guard let rows = numbers[0] else { return nil }
            self = .catchingUp(rows: rows)
        case ("following", 3):
            guard let rows = numbers[0], let milliseconds = numbers[1] else { return nil }
            self = .following(rows: rows, milliseconds: milliseconds)
        case ("same", 4):
            guard let rows = numbers[1] else { return nil }
            self = .same(table: words[1], rows: rows, digest: words[3])
        case ("moved", 3):
            guard let tables = numbers[0], let sequence = numbers[1] else { return nil }
            self = .moved(tables: tables, sequence: Int64(sequence))
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .to(let database): "to \(database)"
        case .copying(let rows, let total): "copying \(rows) \(total)"
        case .indexing: "indexing"
        case .verifying: "verifying"
        case .catchingUp(let rows): "catching-up \(rows)"
        case .following(let rows, let milliseconds): "following \(rows) \(milliseconds)"
        case .same(let table, let rows, let digest): "same \(table) \(rows) \(digest)"
        case .moved(let tables, let sequence): "moved \(tables) \(sequence)"
        }
    }
}

extension DescriptorChannel {
    func send(_ message: MigrationMessage) throws(SystemError) { try send(message.line) }
}
