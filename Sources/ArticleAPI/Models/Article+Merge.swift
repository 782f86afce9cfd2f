extension Article {
    /// Two edits of one article, combined.
    ///
    /// An attribute that one side has changed is as that side has made it, and so is one that both
    /// have changed to the same. Where both have changed it differently, it is in conflict, except:
    ///
    /// - of bodies, the paragraphs are merged, and only those that both have changed are in
    ///   conflict. Paragraphs are separated by blank lines, and fenced code is not divided;
    /// - of tags, what either side has added is there, and what either has removed is not;
    /// - authors are merged in their order.
    ///
    /// Nothing that was typed is lost: it is in the changes or in a conflict. Without conflicts,
    /// the result does not depend on who is `mine`.
    ///
    /// ```swift
    /// let merge = Article.Merge(base: seen, mine: changes, theirs: current)
    /// var choices: [Article.Merge.Conflict: Article.Merge.Choice] = [:]
    /// for conflict in merge.conflicts { choices[conflict] = ask(conflict) }
    /// let request = UpdateArticleRequest(current, changes: merge.changes(choices))
    /// ```
    public struct Merge: Sendable {
        /// The overlaps of both edits, in the order of the article and of its body.
        public private(set) var conflicts: [Conflict] = []
        private let base: Draft
        private let mine: Draft
        private let theirs: Draft
        /// Theirs with what needs no decision.
        private var merged: Draft
        private var body: ParagraphMerge?
        /// The change of a body that theirs does not have.
        private var unseenBody = Change<String>.keep

        /// Something that both sides have changed differently.
        public enum Conflict: Sendable, Hashable {
            /// The name of an attribute, `title` for example.
            case attribute(String)
            /// A part of the body.
            case region(Region)

            /// The name of the attribute, `body` for a region of it.
            public var attribute: String {
                switch self {
                case .attribute(let name): name
                case .region: "body"
                }
            }
        }

        /// Paragraphs of the body that both sides have changed differently.
        public struct Region: Sendable, Hashable {
            /// Their indices in the former body; empty where both have inserted something.
            public let paragraphs: Range<Int>
            public let base: String
            /// Empty if this side has deleted them.
            public let mine: String
            /// Empty if this side has deleted them.
            public let theirs: String
        }

        /// The resolution of a conflict.
        public enum Choice: Sendable, Hashable {
            case mine, theirs
            /// My paragraphs, authors or tags, and then theirs; `mine` for other attributes.
            case both
        }

        /// - Parameters:
        ///   - base: the article that both sides have changed. If it has no body, each body counts
        ///     as a new one.
        ///   - mine: the edit.
        ///   - theirs: the article as the other side has left it. If it has no body, mine holds.
        public init(base: Article, mine: Changes, theirs: Article) {
            self.base = base.draft
            self.mine = base.applying(mine).draft
            self.theirs = theirs.draft
            merged = theirs.draft
            for attribute in Draft.mergedAttributes {
                if attribute.name != "body" {
                    merge(attribute)
                } else if mine.body != .keep {
                    if theirs.body == nil { unseenBody = mine.body } else { mergeBodies(base.body) }
                }
            }
        }

        /// The changes that make theirs the merged article.
        ///
        /// - Parameters:
        ///   - choices: the resolutions of conflicts.
        ///   - other: the resolution of the others.
        public func changes(
            _ choices: [Conflict: Choice] = [:], otherwise other: Choice = .theirs
        ) -> Changes {
            var draft = merged
            for case .attribute(let name) in conflicts {
                resolve(name, choices[.attribute(name)] ?? other, in: &draft)
            }
            if let body { draft.body = body.text { choices[.region($0)] ?? other } }
            var changes = Changes(from: theirs, to: draft)
            if unseenBody != .keep { changes.body = unseenBody }
            return changes
        }
    }
}

extension Article.Merge {
    private mutating func merge(_ attribute: Attribute) {
        if attribute.isSame(mine, base) || attribute.isSame(mine, theirs) { return }
        if attribute.isSame(theirs, base) { return attribute.copy(mine, &merged) }
        if attribute.name == "authors", let authors = mergedAuthors() {
            merged.authors = authors
        } else if attribute.name == "tags", let tags = mergedTags() {
            merged.tags = tags
        } else {
            conflicts.append(.attribute(attribute.name))
        }
    }

    private mutating func mergeBodies(_ before: String?) {
        let (own, other) = (mine.body, theirs.body)
        if own == before || own == other { return }
        if other == before {
            merged.body = own
            return
        }
        let merge = ParagraphMerge(base: before ?? "", mine: own, theirs: other)
        let text = merge.text { _ in .theirs }
        guard text.utf8.count <= ArticleLimits.bodyBytes else {
            return conflicts.append(.attribute("body"))
        }
        merged.body = text
        body = merge
        conflicts += merge.regions.map { .region($0) }
    }

    private func resolve(_ name: String, _ choice: Choice, in draft: inout Article.Draft) {
        if choice == .theirs { return }
        Article.Draft.mergedAttributes.first { $0.name == name }?.copy(mine, &draft)
        guard choice == .both else { return }
        if name == "authors" {
            draft.authors += theirs.authors.filter { !mine.authors.contains($0) }
        }
        if name == "tags" {
            let keys = Set(mine.tags.map(\.tagKey))
            draft.tags += theirs.tags.filter { !keys.contains($0.tagKey) }
        }
    }

    // MARK: Lists

    /// The authors in the order of both sides; `nil` if both have changed the same place, or have
    /// moved the same author.
    private func mergedAuthors() -> [Author.Mention]? {
        let merge = SequenceMerge(
            base: base.authors, mine: mine.authors, theirs: theirs.authors)
        var authors: [Author.Mention] = []
        for part in merge.parts {
            switch part.kind {
            case .conflict: return nil
            case .mine, .both, .unchanged: authors += mine.authors[part.mine]
            case .theirs: authors += theirs.authors[part.theirs]
            }
        }
        guard authors.count <= ArticleLimits.authors, Set(authors).count == authors.count else {
            return nil
        }
        return authors
    }

    /// The tags that neither side has removed, and then those that either has added; `nil` if one
    /// side has removed a tag whose spelling the other has changed, if both have changed it, or if
    /// there are too many.
    private func mergedTags() -> [String]? {
        let (before, own, other) = (Tags(base.tags), Tags(mine.tags), Tags(theirs.tags))
        var names = before.names
        for key in before.keys where own.names[key] != other.names[key] {
            switch names[key] {
            case other.names[key]: names[key] = own.names[key]
            case own.names[key]: names[key] = other.names[key]
            default: return nil
            }
        }
        for key in before.keys where own.names[key] == other.names[key] {
            names[key] = own.names[key]
        }
        let kept = Set(names.keys)
        // The order of the side that has changed it.
        let orders = [before, own, other].map { $0.keys.filter(kept.contains) }
        var keys =
            orders[2] == orders[0] || orders[1] == orders[2]
            ? orders[1]
            : orders[1] == orders[0] ? orders[2] : orders[0]
        // What both have added comes in an order that does not depend on the sides.
        let added = [own, other].map { $0.keys.filter { before.names[$0] == nil } }
            .sorted { $0.lexicographicallyPrecedes($1) }
        for key in added[0] + added[1] where names[key] == nil {
            let spellings = [own.names[key], other.names[key]].compactMap { $0 }
            names[key] = spellings.min()
            keys.append(key)
        }
        guard keys.count <= ArticleLimits.tags else { return nil }
        return keys.compactMap { names[$0] }
    }

    /// Tags by their keys, the first of each.
    private struct Tags {
        var keys: [String] = []
        var names: [String: String] = [:]

        init(_ list: [String]) {
            for name in list where names[name.tagKey] == nil {
                keys.append(name.tagKey)
                names[name.tagKey] = name
            }
        }
    }
}

extension Article.Merge {
    /// An attribute of both edits.
    struct Attribute: Sendable {
        let name: String
        let isSame: @Sendable (Article.Draft, Article.Draft) -> Bool
        /// Copies the value from the first draft to the second one.
        let copy: @Sendable (Article.Draft, inout Article.Draft) -> Void

        init<Value: Equatable & Sendable>(
            _ name: String, _ path: any WritableKeyPath<Article.Draft, Value> & Sendable
        ) {
            self.name = name
            isSame = { $0[keyPath: path] == $1[keyPath: path] }
            copy = { $1[keyPath: path] = $0[keyPath: path] }
        }
    }
}

extension String {
    fileprivate var tagKey: String { ArticleTag(named: self).key }
}
