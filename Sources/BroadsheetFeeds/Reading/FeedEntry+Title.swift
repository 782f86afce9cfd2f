import ArticleAPI
import BroadsheetHTTP

extension FeedEntry {
    /// A title for an entry that has none: the beginning of its text, else the name of its file,
    /// the end of its link, or the host of the feed and the day; `nil` if it has none of these.
    ///
    /// A text of more than 80 characters is cut behind a sentence, or a word and then with `…`.
    ///
    /// - Parameter address: that of the feed.
    package func derivedTitle(at address: String) -> String? {
        if let text = firstLine { return Self.shortened(text) }
        let files = [attachment, image?.url, url].compactMap(\.self)
        if let name = files.lazy.compactMap(Self.fileName).first { return name }
        guard contentHTML != nil || url != nil || unusableLink != nil else { return nil }
        let host = Self.host(of: url ?? address)
        return (publishedAt ?? updatedAt).map { "\(host), \($0.description.prefix(10))" } ?? host
    }

    private static let limitTitleScalars = 80
    /// A shorter sentence, or a cut that leaves less, says too little.
    private static let titleMinimum = 20

    /// The first block of HTML with any words, or the first paragraph of text.
    private var firstLine: String? {
        var lines = [Self.paragraph(of: summary)]
        if let contentHTML {
            // Line breaks of HTML are spaces, but for those of elements.
            let start = contentHTML.unicodeScalars.prefix(64 << 10).map { $0.isXMLSpace ? " " : $0 }
            let words = FeedText.plain(html: String(String.UnicodeScalarView(start)))
                .split(separator: "\n")
            lines += words.lazy.map { Self.line([$0]) }.filter { $0.hasWords }.prefix(1)
        }
        lines.append(Self.paragraph(of: contentText ?? ""))
        return lines.first { $0.hasWords }
    }

    private static func paragraph(of text: String) -> String {
        let start = String(text.unicodeScalars.prefix(FeedText.limitSummaryBytes))
        let lines = start.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let rest = lines.prefix(100).drop { $0.allSatisfy(\.isWhitespace) }
        return line(Array(rest.prefix { !$0.allSatisfy(\.isWhitespace) }))
    }

    /// The words of the lines.
    private static func line(_ lines: [Substring]) -> String {
        let words = lines.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        return FeedText.line(words.joined(separator: " "))
    }

    private static func shortened(_ line: String) -> String {
        guard line.count > limitTitleScalars else { return line }
        let characters = Array(line.prefix(limitTitleScalars + 1))
        let cuts = (titleMinimum..<limitTitleScalars).reversed()
        let sentence = cuts.first { index in
            switch characters[index] {
            case ".", "!", "?": characters[index + 1].isWhitespace
            case "。", "！", "？", "…": true
            default: false
            }
        }
        if let sentence { return String(characters[...sentence]) }
        let word = cuts.first { characters[$0].isWhitespace } ?? limitTitleScalars - 1
        var start = characters[..<word]
        while let last = start.last, last.isWhitespace || ",;:-–—(".contains(last) {
            start.removeLast()
        }
        return String(start) + "…"
    }

    // MARK: Addresses

    /// The last part of a URL's path.
    private static func fileName(of url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2)
        let name = path.last.map {
            FeedText.line((try? PercentEncoding.decode($0.utf8)) ?? String($0))
        }
        return name?.isEmpty == true ? nil : name
    }

    private static func host(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 2)
        let host = parts.count > 1 ? parts[1].prefix { $0 != "?" && $0 != "#" && $0 != ":" } : ""
        return host.isEmpty ? url : String(host)
    }
}

extension String {
    /// True if there is anything other than white space and punctuation.
    fileprivate var hasWords: Bool {
        contains { !$0.isWhitespace && !$0.isPunctuation }
    }
}
