import ArticleAPI
import ArticleClient
import ArticleImportExport
import ArticleServiceCore
import ArticleServices
import BroadsheetCommandLine

/// Places articles in a folder: writes and removes their files, and no others.
///
/// A file may be replaced or removed if its digest is one that `sync` wrote, if it equals the file
/// to be written, or, with `force`, if `sync` wrote it at all.
struct SyncFileWriter {
    let folder: SyncFolder
    var state: SyncState
    private let force: Bool
    /// The files that differ and are kept, with the reason.
    private(set) var kept: [String: String] = [:]
    /// True if the state differs from the stored one.
    var isDirty: Bool
    /// The article that claims a file.
    private var claims: [String: Article.ID]

    init(_ folder: SyncFolder, _ state: SyncState, force: Bool) {
        self.folder = folder
        self.state = state
        self.force = force
        claims = [:]
        for (id, entry) in state.articles where !entry.isStale || claims[entry.name] == nil {
            claims[entry.name] = id
        }
        isDirty = folder.journalLines > 0
    }

    /// The number of articles whose file is kept as it is.
    var keptArticles: Int {
        state.articles.values.count { kept[$0.name] != nil }
    }

    mutating func save() throws(CommandFailure) {
        try folder.save(state)
        isDirty = false
    }

    /// Forgets all articles; their files stay until the end of the run.
    mutating func restart() {
        state = state.restarted(server: state.server, filter: state.filter)
        claims = [:]
        kept = kept.filter { state.files[$0.key] != nil }
        isDirty = true
    }

    // MARK: Local changes

    /// Finds the files that are missing, or that were changed.
    mutating func examine() throws(CommandFailure) {
        for (name, file) in state.files {
            let stamp = try folder.stamp(name)
            if stamp == file.stamp { continue }
            isDirty = true
            if stamp == nil {
                state.files[name] = nil
                markStale(name)
            } else if try isOurs(name, file) {
                state.files[name]?.stamp = stamp ?? FileStamp()
            } else if force {
                markStale(name)
            } else {
                kept[name] = Self.changed
            }
        }
        for entry in state.articles.values where state.files[entry.name] == nil {
            markStale(entry.name)
        }
    }

    private static let changed = "changed locally; kept as it is"
    private static let foreign = "not written by sync; kept as it is"

    private mutating func markStale(_ name: String) {
        guard let id = claims[name] else { return }
        state.articles[id]?.isStale = true
    }

    private func isOurs(_ name: String, _ file: SyncState.File) throws(CommandFailure) -> Bool {
        guard case .file(let bytes) = try folder.content(name) else { return false }
        return file.digests.contains(Self.digest(bytes))
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        ByteText.hexadecimal(Digest.sha256(bytes))
    }

    /// Returns true if the article cannot be written, so that it need not be fetched.
    mutating func isBlocked(
        _ id: Article.ID, _ entry: SyncState.Entry
    ) throws(CommandFailure) -> Bool {
        if let file = state.files[entry.name] {
            guard !force, claims[entry.name] == id else { return false }
            if try isOurs(entry.name, file) { return false }
            kept[entry.name] = Self.changed
            return true
        }
        guard try folder.stamp(entry.name) != nil else { return false }
        kept[entry.name] = Self.foreign
        return true
    }

    // MARK: Writing

    /// A file that is to be written.
    private struct Draft {
        let id: Article.ID
        let name: String
        let bytes: [UInt8]
        let digest: String
    }

    /// The permitted action on the file of a draft.
    private enum Permission {
        case write
        /// The file equals the one to be written.
        case alreadyThere
        case keep(String)
    }

    /// Puts articles into the folder.
    /// - Returns: those whose files were written.
    mutating func put(_ articles: [Article]) throws(CommandFailure) -> Set<Article.ID> {
        var drafts: [Draft] = []
        for article in articles {
            let name = SyncFileName.of(article)
            let authors = article.authors.map(\.id)
            claim(article.id, SyncState.Entry(name: name, authors: authors, isStale: true))
            drafts.append(Self.draft(article.id, name, MarkdownFile.bytes(of: article)))
        }
        return try write(drafts)
    }

    /// Replaces the names of authors in the files of articles.
    /// - Returns: those whose files were written.
    mutating func rename(_ ids: ArraySlice<Article.ID>) throws(CommandFailure) -> Set<Article.ID> {
        var drafts: [Draft] = []
        for id in ids {
            guard let entry = state.articles[id], !entry.isStale else { continue }
            state.articles[id]?.isStale = true
            isDirty = true
            let names = entry.authors.compactMap { state.names[$0] }
            guard names.count == entry.authors.count, let file = state.files[entry.name],
                case .file(let bytes) = try folder.content(entry.name),
                file.digests.contains(Self.digest(bytes)),
                let renamed = MarkdownFile.bytes(bytes, naming: names)
            else { continue }
            drafts.append(Self.draft(id, entry.name, renamed))
        }
        return try write(drafts)
    }

    private static func draft(_ id: Article.ID, _ name: String, _ bytes: [UInt8]) -> Draft {
        Draft(id: id, name: name, bytes: bytes, digest: digest(bytes))
    }

    /// Gives the article a file name. An article that had the name before is written again, unless
    /// a later page does so: slugs are unique, so it has another one by now.
    private mutating func claim(_ id: Article.ID, _ entry: SyncState.Entry) {
        if let other = claims[entry.name], other != id { state.articles[other]?.isStale = true }
        if let former = state.articles[id]?.name, claims[former] == id { claims[former] = nil }
        claims[entry.name] = id
        state.articles[id] = entry
        isDirty = true
    }

    /// Writes the files that may be written; their articles are no longer stale.
    private mutating func write(_ drafts: [Draft]) throws(CommandFailure) -> Set<Article.ID> {
        var permitted: [Draft] = []
        for draft in drafts {
            switch try permission(draft) {
            case .write: permitted.append(draft)
            case .alreadyThere: adopt(draft, try folder.stamp(draft.name) ?? FileStamp())
            case .keep(let reason): kept[draft.name] = reason
            }
        }
        try folder.append(
            permitted.map { SyncJournalLine(name: $0.name, digest: $0.digest) })
        var written: Set<Article.ID> = []
        for draft in permitted {
            // Many files may have been written since then, each of them flushed.
            if case .keep(let reason) = try permission(draft) {
                kept[draft.name] = reason
                continue
            }
            adopt(draft, try folder.write(draft.bytes, draft.name))
            written.insert(draft.id)
        }
        return written
    }

    private func permission(_ draft: Draft) throws(CommandFailure) -> Permission {
        let file = state.files[draft.name]
        switch try folder.content(draft.name) {
        case .missing: return .write
        case .other: return .keep(file == nil ? Self.foreign : Self.changed)
        case .file(let bytes):
            let digest = Self.digest(bytes)
            if digest == draft.digest { return .alreadyThere }
            guard let file else { return .keep(Self.foreign) }
            return force || file.digests.contains(digest) ? .write : .keep(Self.changed)
        }
    }

    private mutating func adopt(_ draft: Draft, _ stamp: FileStamp) {
        state.files[draft.name] = SyncState.File(digests: [draft.digest], stamp: stamp)
        state.articles[draft.id]?.isStale = false
        kept[draft.name] = nil
        isDirty = true
    }

    // MARK: Removing

    /// Removes the files that no article claims.
    /// - Returns: their number.
    mutating func removeOrphans() throws(CommandFailure) -> Int {
        var removed = 0
        for name in state.orphans {
            guard let file = state.files[name] else { continue }
            isDirty = true
            switch try folder.content(name) {
            case .missing: break
            case .file(let bytes) where force || file.digests.contains(Self.digest(bytes)):
                try folder.remove(name)
                removed += 1
            case .file, .other:
                kept[name] = Self.changed
                continue
            }
            state.files[name] = nil
            kept[name] = nil
        }
        return removed
    }
}
