import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetPlatform
import Glibc

/// Writes to a store from many tasks until it is killed, and prints each acknowledged write.
///
/// A line is `<kind> <id> <revision>`; it is only printed after the store has acknowledged the
/// write. A failed write (on a simulated disk) is a line that starts with `failure`.
@main
enum StoreWriter {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else { exit(64) }
        let store: SQLiteStore
        do {
            store = try SQLiteStore.open(
                path: CommandLine.arguments[1], mode: .create, system: .real)
        } catch {
            print("rejected \(error)")
            exit(75)
        }
        try await withThrowingTaskGroup { group in
            for writer in 0..<16 {
                group.addTask { try await Self.write(to: store, writer) }
            }
            try await group.waitForAll()
        }
    }

    /// Creates articles in an endless loop; each is edited, some are deleted and restored.
    private static func write(to store: SQLiteStore, _ writer: Int) async throws {
        for number in 0... {
            let id = Article.ID(at: now())
            let made: Article
            do {
                made = try await store.createArticle(id, content(writer, number), by: edit())
                acknowledge(made)
            } catch {
                print("failure \(id) \(error)")
                continue
            }
            do { try await revise(made, in: store, content(writer, number), number) } catch {
                print("failure of a revision: \(error)")
            }
        }
    }

    private static func revise(
        _ made: Article, in store: SQLiteStore, _ content: ArticleContent, _ number: Int
    ) async throws {
        let id = made.id
        let changes = Article.Changes(body: .set(content.draft.body + "\nMore."))
        let changed = try await store.updateArticle(
            id, ArticleUpdate(.changes(changes)), expecting: .versions([made.version ?? ""]),
            by: edit())
        acknowledge(changed)
        guard number % 3 == 0 else { return }
        try await store.deleteArticle(id, expecting: .versions([changed.version ?? ""]), by: edit())
        print("deletion \(id) 3")
        acknowledge(
            try await store.restoreArticle(id, to: 1, expecting: .existing, by: edit()))
    }

    private static func content(_ writer: Int, _ number: Int) -> ArticleContent {
        ArticleContent(
            Article.Draft(
                title: "Post \(number)", body: String(repeating: "\(writer) ", count: 200),
                language: "en",
                authors: [.name("Writer \(writer)"), .name("Writer \(number % 50)")],
                tags: ["T\(number % 7)"], status: .published, publishedAt: now()),
            slug: .like("post"), measure: TextMeasure(words: 200, readingMinutes: 1))
    }

    private static func acknowledge(_ article: Article) {
        print("write \(article.id) \(article.revision)")
    }

    /// One `write(2)` per line, as data in the pipe outlives the process.
    private static func print(_ line: String) {
        var line = line + "\n"
        line.withUTF8 { bytes in _ = Glibc.write(1, bytes.baseAddress, bytes.count) }
    }

    private static func edit() -> Edit { Edit(at: now(), by: .key(id: "writer")) }

    private static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec / 1_000_000))
    }
}
