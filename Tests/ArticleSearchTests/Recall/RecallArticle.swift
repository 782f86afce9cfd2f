import ArticleSearch

/// An invented article, by the name that queries expect it under.
struct RecallArticle {
    let name: String
    let document: SearchDocument

    private init(_ number: Int, _ text: String) {
        // Name and tags, title, summary, and the body in the remaining lines.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let words = lines[0].split(separator: " ").map(String.init)
        name = words[0]
        document = .sample(
            number, title: lines[1], summary: lines[2],
            body: lines[3...].joined(separator: "\n"), tags: Array(words[1...]))
    }

    static let all = (swiftTexts + appTexts + kitchenTexts + travelTexts).enumerated().map {
        RecallArticle($0.offset + 1, $0.element)
    }
}
