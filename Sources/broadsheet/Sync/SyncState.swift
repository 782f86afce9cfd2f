import ArticleAPI
import ArticleClient

/// The content of a folder that is kept by `sync`, and its token.
///
/// Files are known by their names, independently of articles. An article claims one file; files
/// that no article claims are removed at the end of a run. So a crash between two steps leaves at
/// worst a file too many, which the next run recognizes by its digest.
struct SyncState: Sendable, Equatable {
    /// A file that `sync` wrote.
    struct File: Sendable, Equatable {
        /// The SHA-256 of the content written: several if the run was interrupted.
        var digests: Set<String>
        /// Size in bytes and modification time in nanoseconds; with these, it need not be read.
        var stamp: FileStamp
    }

    /// An article that the caller sees.
    struct Entry: Sendable, Equatable {
        /// The file's name.
        var name: String
        var authors: [Author.ID]
        /// True if the file has to be written, with the article as it is then.
        var isStale: Bool
    }

    /// The maximum number of articles in a folder.
    static let limit = 1_000_000

    /// The base URL of the backend.
    let server: String
    /// The filter as in an address, without a token.
    let filter: String
    var token: String?
    var files: [String: File] = [:]
    var articles: [Article.ID: Entry] = [:]
    var names = AuthorNames()

    init(server: String, filter: String) {
        self.server = server
        self.filter = filter
    }

    /// The same folder with no articles: its files are removed unless articles claim them again.
    func restarted(server: String, filter: String) -> SyncState {
        var state = SyncState(server: server, filter: filter)
        state.files = files
        return state
    }

    /// The files that no article claims.
    var orphans: [String] {
        var orphans = Set(files.keys)
        for entry in articles.values { orphans.remove(entry.name) }
        return orphans.sorted()
    }

    /// Adds the files that were about to be written when a run was interrupted.
    mutating func recover(_ lines: [SyncJournalLine]) {
        for line in lines {
            files[line.name, default: File(digests: [], stamp: FileStamp())]
                .digests.insert(line.digest)
        }
    }
}

/// Size and time of a file. A changed file has another stamp; the digest decides.
struct FileStamp: Sendable, Equatable {
    var sizeBytes = -1
    var modifiedNanoseconds = 0
}

/// A file that is about to be written: a line of the journal.
struct SyncJournalLine: JSONModel {
    var name: String
    var digest: String

    static let shape = ObjectCodec(
        Self.init(name:digest:), .required("name", \.name, .text(.line(1...255))),
        .required("digest", \.digest, .text(.token(64...64))))
}
