import BroadsheetKit
import Observation

/// A write that waits for a decision: an edit that has met somebody else's, or one that the backend
/// did not accept.
@MainActor @Observable final class DecisionModel: Identifiable {
    let entry: OutboxEntry
    /// The article as the user has left it; `nil` if the user has deleted it.
    let mine: Article?
    /// The article as the backend has it; `nil` if somebody else has deleted it.
    let theirs: Article?
    private var choices: [Article.Merge.Conflict: Article.Merge.Choice] = [:]
    private(set) var problem: ErrorText?
    private let merge: Article.Merge?
    private let library: LibraryModel

    init(_ entry: OutboxEntry, in library: LibraryModel) {
        self.entry = entry
        self.library = library
        mine = [entry].overlay(on: entry.base)
        guard case .conflict(let theirs) = entry.status else {
            (theirs, merge) = (nil, nil)
            return
        }
        self.theirs = theirs
        if case .update(let changes) = entry.write, let base = entry.base, let theirs {
            merge = Article.Merge(base: base, mine: changes, theirs: theirs)
        } else {
            merge = nil
        }
    }

    nonisolated var id: Int { entry.number }

    var isConflict: Bool { if case .conflict = entry.status { true } else { false } }

    /// The reason of the backend.
    var rejection: ErrorText? {
        guard case .rejected(let problem) = entry.status else { return nil }
        return ErrorText(problem, for: .save)
    }

    /// The attributes and paragraphs that both have changed differently.
    var overlaps: [Article.Merge.Conflict] { merge?.conflicts ?? [] }

    /// Both versions of one overlap.
    func texts(of overlap: Article.Merge.Conflict) -> (mine: String, theirs: String) {
        switch overlap {
        case .region(let region): (region.mine, region.theirs)
        case .attribute(let name):
            (mine?.text(of: name) ?? "", theirs?.text(of: name) ?? "")
        }
    }

    /// The choice for an overlap: mine, unless the user has chosen.
    subscript(choice overlap: Article.Merge.Conflict) -> Article.Merge.Choice {
        get { choices[overlap] ?? .mine }
        set { choices[overlap] = newValue }
    }

    /// Carries the choices out. Where only one of both has changed something, that is kept.
    func keepChosen() async {
        guard let merge, let theirs else { return await keepMine() }
        let article = theirs.applying(merge.changes(choices, otherwise: .mine))
        await decide { try await $0.resolve($1, .merged(article)) }
    }

    func keepMine() async { await decide { try await $0.resolve($1, .keepMine) } }
    func keepTheirs() async { await decide { try await $0.resolve($1, .keepTheirs) } }
    func sendAgain() async { await decide { try await $0.sendAgain($1) } }
    func discard() async { await decide { try await $0.discard($1) } }

    private func decide(_ decision: @MainActor (Outbox, Int) async throws -> Void) async {
        do {
            try await decision(library.offline.outbox, entry.number)
            problem = nil
        } catch { problem = ErrorText(ifShown: error, for: .save) }
    }
}

extension Article {
    /// An attribute as a text to compare.
    fileprivate func text(of name: String) -> String {
        switch name {
        case "title": title
        case "summary": summary
        case "body": body ?? ""
        case "slug": slug
        case "language": language
        case "authors": authors.map(\.name).joined(separator: ", ")
        case "tags": tags.map(\.name).joined(separator: ", ")
        case "heroImage": heroImage?.url ?? ""
        case "status": "\(status)"
        default: ""
        }
    }
}
