import Testing

/// "An attribute in five steps" in docs/recipes.md names the files that a new attribute changes.
@Suite struct AttributeTests {
    /// Changes as well if Markdown files can set the attribute.
    private static let frontMatter = "Sources/ArticleImportExport/FrontMatter/FrontMatter.swift"

    /// Change as well if feeds show the attribute.
    private static let feeds: Set = [
        "Sources/ArticleResources/Feeds/FeedService.swift",
        "Sources/ArticleConnectors/Polling/SourceDraft.swift",
    ]

    /// Changes as well if the samples of apps have the attribute.
    private static let samples = "Sources/BroadsheetTesting/Samples/Article+Sample.swift"

    /// The files that the section names.
    private static func named() throws -> Set<String> {
        let document = try #require(try SourceTree.files().first { $0.path == "docs/recipes.md" })
        let text = document.lines.joined(separator: "\n")
        let rest = try #require(text.split(separator: "\n## An attribute in five steps\n").last)
        let section = try #require(rest.split(separator: "\n## ").first)
        return Set(section.matches(of: /`(Sources\/[^`]+\.swift)`/).map { String($0.1) })
    }

    @Test func `at most five files change, one each for front matter and samples, two for feeds`()
        throws
    {
        let named = try Self.named()
        #expect(named.isSuperset(of: Self.feeds.union([Self.frontMatter, Self.samples])))
        #expect((3...5).contains(named.count - 4))
        let paths = Set(try SourceTree.files().map(\.path))
        #expect(named.isSubset(of: paths), "\(named.subtracting(paths))")
    }

    @Test func `no other file names an attribute that only editors set`() throws {
        let named = try Self.named()
        var found: Set<String> = []
        for (file, text) in try SourceTree.swiftFiles() where file.target != nil {
            let words = text.code.flatMap { line in
                line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            }
            if words.contains("heroImage") { found.insert(file.path) }
        }
        #expect(found.isSubset(of: named), "\(found.subtracting(named).sorted())")
        #expect(found.count > 2)
    }
}
