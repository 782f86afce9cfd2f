import ArticleAPI

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
            let fitted =
                isLine ? ArticleFitter.line(text, to: limit) : ArticleFitter.cut(text, to: limit)
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
            authors = ArticleFitter.names(names).map { .name($0) }
            cuts += Self.cuts(
                in: names, "authors", ArticleLimits.authors, ArticleLimits.authorName.upperBound)
        }
        cuts += Self.cuts(in: tags, "tags", ArticleLimits.tags, ArticleLimits.tag.upperBound)
        tags = ArticleFitter.tags(tags)
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
