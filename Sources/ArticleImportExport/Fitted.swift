import ArticleAPI

/// Fits texts and names of other programs to the limits of articles.
package enum Fitted {
    /// Returns the text, with an ellipsis in place of the part that exceeds a number of Unicode
    /// scalars.
    package static func cut(_ text: String, to limit: Int) -> String {
        guard text.unicodeScalars.count > limit else { return text }
        var end = text.startIndex
        var count = 0
        // Invariant: `count` scalars are before `end`, which is between two characters.
        while end < text.endIndex {
            count += text[end].unicodeScalars.count
            guard count < limit else { break }
            end = text.index(after: end)
        }
        return text[..<end] + "…"
    }

    /// The text on one line, in NFC.
    package static func line(_ text: String, to limit: Int) -> String {
        cut(text.onOneLine.inNFC, to: limit)
    }

    /// The first names that an article can have, each once, without blank ones.
    package static func names(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        let fitting = names.map { line($0, to: ArticleLimits.authorName.upperBound) }.filter {
            !$0.allSatisfy(\.isWhitespace) && seen.insert($0).inserted
        }
        return Array(fitting.prefix(ArticleLimits.authors))
    }

    /// The first tags that an article can have, each once.
    package static func tags(_ names: [String]) -> [String] {
        var keys: Set<String> = []
        let fitting = names.map { line($0, to: ArticleLimits.tag.upperBound) }.filter { name in
            let key = Tag(named: name).key
            return !key.isEmpty && keys.insert(key).inserted
        }
        return Array(fitting.prefix(ArticleLimits.tags))
    }
}

extension Article.Draft {
    /// Something that was changed so that the draft fits.
    struct Cut: Sendable, Hashable {
        var attribute: String
        /// A description of the change, as a sentence.
        var note: String
    }

    /// Cuts texts that are longer than an article may have, and makes one line of those that must
    /// be one.
    mutating func fit() -> [Cut] {
        var cuts: [Cut] = []
        func fit(
            _ text: String, _ limit: Int, _ attribute: String, isLine: Bool = false
        ) -> String {
            let text = text.inNFC
            let fitted = isLine ? Fitted.line(text, to: limit) : Fitted.cut(text, to: limit)
            if text.unicodeScalars.count > limit {
                cuts.append(Cut(attribute: attribute, note: "was cut to \(limit) characters"))
            } else if fitted != text {
                cuts.append(Cut(attribute: attribute, note: "became one line"))
            }
            return fitted
        }
        title = fit(title, ArticleLimits.title.upperBound, "title", isLine: true)
        summary = fit(summary, ArticleLimits.summary.upperBound, "summary")
        if let name = source?.name {
            source?.name = fit(name, ArticleLimits.sourceName.upperBound, "source", isLine: true)
        }
        if let text = imageText {
            imageText = fit(text, ArticleLimits.alternativeText.upperBound, "image text")
        }
        let names = authors.compactMap { if case .name(let name) = $0 { name } else { nil } }
        if names.count == authors.count {
            authors = Fitted.names(names).map { .name($0) }
            cuts += Self.cuts(
                in: names, "authors", ArticleLimits.authors, ArticleLimits.authorName.upperBound)
        }
        cuts += Self.cuts(in: tags, "tags", ArticleLimits.tags, ArticleLimits.tag.upperBound)
        tags = Fitted.tags(tags)
        return cuts
    }

    private static func cuts(
        in names: [String], _ attribute: String, _ count: Int, _ length: Int
    ) -> [Cut] {
        var cuts: [Cut] = []
        let long = names.count { $0.inNFC.unicodeScalars.count > length }
        if long > 0 {
            let note = "were cut to \(length) characters (\(long))"
            cuts.append(Cut(attribute: attribute, note: note))
        }
        if names.count > count {
            let note = "were cut to the first \(count) of \(names.count)"
            cuts.append(Cut(attribute: attribute, note: note))
        }
        return cuts
    }
}
