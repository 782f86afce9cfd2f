import ArticleAPI
public import ArticleClient

extension ModelStore {
    /// The location of a store's models, and their account.
    public struct Location: Sendable, Hashable {
        /// `nil` in memory.
        public internal(set) var path: String?
        /// The `Credentials.account` that may see the store's content; `nil` for the content of
        /// anonymous requests.
        public let account: String?

        /// In memory, as long as the store exists.
        public static func memory(of account: String? = nil) -> Location {
            Location(path: nil, account: account)
        }

        /// In memory, for anonymous requests.
        public static var memory: Location { memory() }

        /// A file in an existing folder, which only its owner can read. SQLite keeps two others
        /// beside it.
        public static func file(_ path: String, of account: String? = nil) -> Location {
            Location(path: path, account: account)
        }

        /// A file in a folder, by a name of its own for each backend and account, in which neither
        /// of them can be read.
        public static func file(
            in folder: String, of account: String?, at baseURL: BaseURL
        ) -> Location {
            // If the names of two accounts have the same hash, the second one's store fails to
            // open, since each file knows its account.
            var name = "articles-\(StableHash(baseURL.description.utf8).text)"
            if let account { name += "-\(StableHash(account.utf8).text)" }
            return Location(path: "\(folder)/\(name).store", account: account)
        }
    }

    /// The limits of a store's content.
    public struct Limits: Sendable, Hashable {
        /// The size of all models and kept responses, with their share of indexes, in bytes. Those
        /// that were not seen for the longest time are removed first; models that are pinned,
        /// mirrored or have unsent writes stay.
        public var bytes: Int
        /// The size of the models that are also kept in memory, in bytes.
        public var memoryBytes: Int
        /// The size of the articles that searches look through, in bytes: of more, the newest, and
        /// at most 20,000. The index takes about as much memory, once something was searched, and
        /// as much of the file.
        public var searchedBytes: Int
        /// The size of the values that an app keeps under keys, in bytes; of more, those stored
        /// last.
        public var valueBytes: Int
        /// The maximum size of the file in bytes, as of a disk that is full; `nil` for none.
        package var fileBytes: Int?
        /// Deletions that are remembered, so that late responses bring nothing back.
        package var deletions = 10_000

        public init(
            bytes: Int = 256 << 20, memoryBytes: Int = 8 << 20, searchedBytes: Int = 32 << 20,
            valueBytes: Int = 4 << 20
        ) {
            self.bytes = bytes
            self.memoryBytes = memoryBytes
            self.searchedBytes = searchedBytes
            self.valueBytes = valueBytes
        }
    }
}
