public import ArticleAPI

/// The combination of an edit with that of another user who has edited the same article.
///
/// Each attribute is decided by itself: where only one side has changed it, that change holds;
/// where both have made it the same, there is nothing to do; where they differ, it is in conflict.
///
/// ```swift
/// let merge = ThreeWayMerge(base: seen, mine: changes, theirs: current)
/// if merge.conflicts.isEmpty {
///     request = UpdateArticleRequest(current, changes: merge.changes)
/// }
/// ```
public struct ThreeWayMerge: Sendable, Hashable {
    /// The remaining changes to theirs, without those in conflict.
    public let changes: Article.Changes
    /// The remaining changes to theirs if mine holds wherever there is a conflict.
    public let mine: Article.Changes
    /// The attributes that both sides have changed to different values, in the order of the
    /// article.
    public let conflicts: [String]

    /// - Parameters:
    ///   - base: the article that both sides have changed. If it has no body, that counts as
    ///     another one than theirs.
    ///   - mine: the edit.
    ///   - theirs: the article as the other side has left it.
    public init(base: Article, mine: Article.Changes, theirs: Article) {
        let edited = base.applying(mine)
        let changed = Article.Changes(from: base, to: edited).attributes
        let others = Article.Changes(from: base, to: theirs).attributes
        // Whole attributes: a patch of a part of one would leave the rest as in theirs.
        let all = Article.Changes(from: theirs, to: edited)
        guard let left = all.only(changed),
            let merged = left.only(left.attributes.filter { !others.contains($0) })
        else {
            // No backend has such values; nothing is decided without the user.
            (changes, self.mine, conflicts) = (Article.Changes(), mine, mine.attributes)
            return
        }
        self.mine = left
        changes = merged
        conflicts = left.attributes.filter { others.contains($0) }
    }
}

extension Article.Changes {
    /// The names of the attributes to change, in the order of the shape.
    var attributes: [String] {
        let ends = Self.shape.members(of: self, capacity: 1_024).ends
        return zip(Self.shape.properties, zip([0] + ends, ends)).compactMap { property, member in
            member.0 < member.1 ? property.name : nil
        }
    }

    /// These changes without those of other attributes; `nil` if one has a value that cannot be
    /// read back.
    fileprivate func only(_ names: [String]) -> Article.Changes? {
        try? Article.Changes(mapping: json(FieldSelection(names)))
    }
}
