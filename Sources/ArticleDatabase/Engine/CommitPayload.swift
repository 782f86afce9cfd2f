import ArticleAPI
import ArticleStore

/// The facts about a commit that other processes must know and cannot read from its rows. They are
/// kept for a while as lines of text, with the mark of the commit.
struct CommitPayload: Hashable {
    var access: [AccessChange] = []
    /// By the number of the change: the user whose bookmark it is, or whose name changed.
    var bookmarkers: [Int64: User.ID] = [:]
    var renamedWriters: [Int64: User.ID] = [:]

    init(_ effects: CommitEffects) {
        access = effects.accessChanges
        for change in effects.changes {
            bookmarkers[change.sequence] = change.bookmarker
            renamedWriters[change.sequence] = change.renamedWriter
        }
    }

    /// Reads the notes of commits, one after the other. Unknown lines are those of later versions,
    /// of which nothing is known: everything may have changed.
    init(parsing texts: [String]) {
        for line in texts.flatMap({ $0.split(separator: "\n") }) { add(line.split(separator: " ")) }
    }

    private mutating func add(_ words: [Substring]) {
        let id = words.last.flatMap { User.ID(String($0)) }
        switch (words.first, words.count, id) {
        case ("key", 2, _): access.append(.key(String(words[1])))
        case ("renewal", 2, _): access.append(.renewal(ofSession: String(words[1])))
        case ("session", 3, let user?): access.append(.session(String(words[1]), of: user))
        case ("user", 2, let user?): access.append(.user(user, keeping: nil))
        case ("user", 3, let user?): access.append(.user(user, keeping: String(words[1])))
        case ("purge", 2, _?):
            access.append(Article.ID(String(words[1])).map { .purge($0) } ?? .all)
        case ("bookmark", 3, let user?): Int64(words[1]).map { bookmarkers[$0] = user }
        case ("name", 3, let user?): Int64(words[1]).map { renamedWriters[$0] = user }
        default: access.append(.all)
        }
    }

    /// As stored, without quotes; `nil` if there is nothing to know.
    var text: String? {
        var lines = access.map { change in
            switch change {
            case .key(let id): "key \(id)"
            case .renewal(let session): "renewal \(session)"
            case .session(let id, let user): "session \(id) \(user)"
            case .user(let user, let kept): kept.map { "user \($0) \(user)" } ?? "user \(user)"
            case .purge(let article): "purge \(article)"
            case .all: "all"
            }
        }
        lines += bookmarkers.sorted { $0.key < $1.key }.map { "bookmark \($0) \($1)" }
        lines += renamedWriters.sorted { $0.key < $1.key }.map { "name \($0) \($1)" }
        // Ids that are not made by this program may have any characters.
        lines = lines.map { $0.utf8.allSatisfy(Self.isPlain) ? $0 : "all" }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: " "):
            true
        default: false
        }
    }

    /// Returns the changes completed with the facts that only these notes have.
    func completing(_ changes: [ChangeRecord]) -> [ChangeRecord] {
        changes.map { change in
            var change = change
            change.bookmarker = bookmarkers[change.sequence]
            change.renamedWriter = renamedWriters[change.sequence]
            return change
        }
    }
}
