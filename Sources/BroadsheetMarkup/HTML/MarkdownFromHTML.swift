/// Converts HTML of any quality to Markdown (GitHub's flavour) that renders as the same text.
///
/// Paragraphs, headings, lists, links, images, code, quotes and tables keep their form; text of
/// elements without a form in Markdown stays, and everything that is not text is left out. An
/// e-mail address becomes a link, since renderers of this flavour find it in any text.
///
/// A value; use it on any thread.
package struct MarkdownFromHTML: Sendable {
    private let base: String?
    private let limits: HTMLLimits

    /// - Parameter base: the URL that relative references are resolved against; `nil` to leave them
    ///   as they are.
    package init(base: String? = nil, limits: HTMLLimits = HTMLLimits()) {
        self.base = base
        self.limits = limits
    }

    /// Converts a fragment or a whole document.
    package func convert(_ html: String) throws(HTMLError) -> ConvertedMarkdown {
        let document = try HTMLDocument(html, limits: limits)
        var reader = HTMLReader(base: base)
        if document.isCutOff { reader.leaveOut(.tooDeep) }
        let blocks = document.withRoot { reader.blocks(ofDocument: $0) } ?? []
        var writer = MarkdownWriter(limitBytes: limits.outputBytes)
        writer.write(blocks)
        guard !ReadingTime.isOver() else { throw .outOfTime }
        guard !writer.isFull else { throw .outputTooLarge(limitBytes: limits.outputBytes) }
        return ConvertedMarkdown(markdown: writer.text, leftOut: reader.leftOut)
    }
}

/// Markdown that was made of HTML.
package struct ConvertedMarkdown: Sendable, Hashable {
    /// Without a line feed at the end; empty if there is no text.
    package var markdown: String
    /// In a fixed order; each kind occurs once.
    package var leftOut: [OmittedMarkup]
}

/// Markup that has no counterpart in Markdown, and the number of its occurrences.
package struct OmittedMarkup: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case script = "scripts"
        case style = "style sheets"
        case form = "form fields"
        case drawing = "drawings"
        case frame = "embedded pages without an address"
        /// Of links and images; the text of the link is kept.
        case address = "unsafe addresses"
        /// The content is kept.
        case table = "tables with blocks in their cells"
        case tooDeep = "elements that nest too deeply"
    }

    package var kind: Kind
    package var count: Int

    package init(kind: Kind, count: Int) {
        self.kind = kind
        self.count = count
    }
}
