import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc

/// Fills stores with generated articles, and measures durable writes. The result is a line of JSON.
@main
enum StoreBench {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let command = arguments.first, let path = arguments.dropFirst().first else {
            return usage()
        }
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        switch (command, numbers.count) {
        case ("fill", 2):
            var corpus = Corpus(seed: UInt64(numbers[1]))
            let seconds = try await fill(path, count: numbers[0]) { corpus.item($0) }
            print(#"{"articles":\#(numbers[0]),"seconds":\#(seconds)}"#)
        case ("prose", 2):
            var prose = Prose(seed: UInt64(numbers[1]))
            _ = try await fill(path, count: numbers[0]) { prose.item($0) }
            print(#"{"bytes":\#(prose.bytes),"queries":\#(prose.queries)}"#)
        case ("creates", 2): try await creates(path, writers: numbers[0], each: numbers[1])
        case ("lists", 1): try await lists(path, count: numbers[0])
        case ("commits", 1): try SingleCommits(path).run(numbers[0])
        default: usage()
        }
    }

    private static func usage() {
        print(
            """
            FILE may be a postgresql:// URL, except for commits.
            fill FILE COUNT SEED      a new store of published articles
            prose FILE COUNT SEED     one whose words are as frequent as in prose
            creates FILE WRITERS EACH durable creates at the same time
            lists FILE COUNT          lists of the newest articles
            commits FILE COUNT        single commits of SQLite, one after the other
            """)
        exit(64)
    }

    /// Opens a file, or the PostgreSQL database with this URL.
    private static func open(_ name: String) throws -> any SQLStore {
        guard PostgresAddress.isAddress(name) else {
            return try SQLiteStore.open(path: name, mode: .create, system: .real)
        }
        return try PostgresStore.open(
            PostgresAddress(name), path: "/nowhere/store", mode: .create, system: .real)
    }

    /// Imports articles with the store's import in commits of 500; returns the seconds it took.
    private static func fill(
        _ path: String, count: Int, _ item: (Int) -> ImportItem
    ) async throws -> Double {
        let store = try open(path)
        let start = ContinuousClock.now
        for first in stride(from: 0, to: count, by: 500) {
            let items = (first..<min(first + 500, count)).map { item($0) }
            // Later articles would be scheduled.
            let results = try await store.importArticles(
                items, by: Edit(at: Corpus.publication(of: count), by: .operator), dryRun: false)
            for result in results { _ = try result.get() }
        }
        let seconds = start.duration(to: .now).inSeconds
        await store.close()
        return seconds
    }

    private static func creates(_ path: String, writers: Int, each: Int) async throws {
        let store = try open(path)
        // Generated before the clock starts, as this cost is not the store's.
        let loads = (0..<writers).map { writer in
            var corpus = Corpus(seed: UInt64(writer))
            return (0..<each).map { number in corpus.item(writer * 1_000_000 + number) }
        }
        let start = ContinuousClock.now
        let cpuStart = cpuSeconds()
        try await withThrowingTaskGroup { group in
            for load in loads {
                group.addTask {
                    for item in load {
                        _ = try await store.createArticle(
                            item.id, item.content, by: Edit(at: Corpus.start, by: .key(id: "bench"))
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        let seconds = start.duration(to: .now).inSeconds
        let cpu = cpuSeconds() - cpuStart
        let statistics = store.statistics
        await store.close()
        let perSecond = Double(writers * each) / seconds
        let perCommit = Double(statistics.writes) / Double(max(statistics.commits, 1))
        let microseconds = cpu / Double(writers * each) * 1e6
        print(
            #"{"perSecond":\#(perSecond),"writesPerCommit":\#(perCommit),"cpu":\#(microseconds)}"#)
    }

    /// Reads the newest public articles in lists of 25, each once more than before.
    private static func lists(_ path: String, count: Int) async throws {
        let store = try open(path)
        var query = ArticleQuery(audience: .everyone)
        query.limit = 25
        _ = try await store.articles(query)
        let start = ContinuousClock.now
        let cpuStart = cpuSeconds()
        for _ in 0..<count { _ = try await store.articles(query) }
        let perSecond = Double(count) / start.duration(to: .now).inSeconds
        let microseconds = (cpuSeconds() - cpuStart) / Double(count) * 1e6
        await store.close()
        print(#"{"perSecond":\#(perSecond),"cpu":\#(microseconds)}"#)
    }

    /// CPU time of this process in user space and in the kernel (`getrusage(2)`).
    private static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
