public import ArticleStore
public import Sockets

/// What an import did, in articles.
public struct ImportReport: Sendable, Hashable {
    /// New here; of an export, all that were restored, tombstones too.
    public internal(set) var created = 0
    /// Their files changed, and they were as the last import left them.
    public internal(set) var updated = 0
    /// As the last import left them, from files that did not change; of an export, those that were
    /// here already.
    public internal(set) var unchanged = 0
    /// Their files changed, but so were they, through the API: they stand.
    public internal(set) var keptEdits = 0
    /// Files and lines that did not come in.
    public internal(set) var failed = 0
    /// The first `faultLimit` of them, in the order of the import.
    public internal(set) var failures: [ImportFault] = []
    /// Attributes that were passed over in posts that came in now: an image without an absolute
    /// address, a source that is no address.
    public internal(set) var leftOut = 0
    /// The first `faultLimit` of these.
    public internal(set) var omissions: [ImportFault] = []

    public static let faultLimit = 1_000

    /// Articles that there were something to say of, whatever it was.
    public var articles: Int { created + updated + unchanged + keptEdits }

    mutating func fail(_ path: String, line: Int? = nil, _ reason: String) {
        failed += 1
        guard failures.count < Self.faultLimit else { return }
        failures.append(ImportFault(path: path, line: line, reason: reason))
    }

    mutating func omit(_ omissions: [FrontMatter.LeftOut], in path: String) {
        leftOut += omissions.count
        for omission in omissions.prefix(Self.faultLimit - self.omissions.count) {
            let reason = "\(omission.key) is no absolute http(s) address and was left out"
            self.omissions.append(ImportFault(path: path, line: omission.line, reason: reason))
        }
    }
}

/// What is wrong with a file or a line of it; the description is one line, `path:line: reason`.
public struct ImportFault: Sendable, Hashable, CustomStringConvertible {
    /// As it was given, or as it was found in a folder that was given.
    public var path: String
    /// From 1; `nil` where the file as a whole is meant.
    public var line: Int?
    public var reason: String

    public var description: String {
        let place = line.map { "\(path):\($0)" } ?? path
        return "\(place): \(reason)".onOneLine
    }
}

/// How far an import has come.
public struct ImportProgress: Sendable, Hashable {
    /// Bytes of the files that are done with; never more than `total`.
    public var done: Int
    /// Bytes of all files.
    public var total: Int
    /// Articles so far, whatever became of them.
    public var articles: Int
}

/// Why an import or an export could not go on; the description is one line for the operator.
public enum InterchangeError: Error, Sendable, CustomStringConvertible {
    /// The store did not do its part. What was taken in before stays.
    case store(StoreError)
    /// The output did not take the bytes.
    case output(SystemError)

    public var description: String {
        switch self {
        case .store(let error): error.sentence
        case .output(let error): "the export cannot be written: \(error)"
        }
    }
}

extension StoreError {
    /// What is wrong, for the operator of a command.
    var sentence: String {
        switch self {
        case .notFound: "it is not there"
        case .preconditionFailed: "it has changed meanwhile"
        case .idTaken: "the id is taken by another article"
        case .slugTaken(let slug): "the slug \"\(slug)\" is taken by another article"
        case .unknownAuthor(let index, let id): "$.authors[\(index)].id: no author has the id \(id)"
        case .authorDiffers(let index, let name):
            "$.authors[\(index)].name: this author's name is \"\(name)\""
        case .repeated: "it was done before"
        case .keyReused: "another write has its key"
        case .conflict(let name): "\(name) does not fit what is there"
        case .tooMany(let things): "there are too many \(things)"
        case .rejected(let cause): "\(cause)"
        case .busy: "the database is busy"
        case .full: "no room is left on the disk"
        case .unavailable(let cause): "the database cannot be used: \(cause)"
        case .corrupt(let cause): "the database contradicts itself: \(cause)"
        }
    }
}

extension String {
    /// With spaces for control characters and line breaks: a file's name may hold any.
    var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: " "
                    default: scalar
                    }
                }))
    }
}
