import Testing

/// The samples of README, manual and documentation are compiled: each is contained, line by
/// line, in code that the tests build.
@Suite struct SampleTextTests {
    @Test func `every sample of README, manual and documentation is compiled`() throws {
        let files = try SourceTree.files()
        let compiled = files.filter { Sample.isCompiled($0.path) }
        let places = files.filter { file in
            file.path == "README.md"
                || file.path.hasPrefix("Resources/manual/") && file.path.hasSuffix(".md")
                || file.target != nil && (file.isSwift || file.path.hasSuffix(".md"))
        }
        let found = places.flatMap { Sample.samples(in: $0) }
        for sample in found {
            #expect(compiled.contains { sample.occurs(in: $0.lines) }, "\(sample.place)")
        }
        #expect(found.count > 10)
    }

    @Test func `a page's listing is a file of its own, and each such file is on a page`() throws {
        let files = try SourceTree.files()
        let pages = files.filter {
            $0.path.hasPrefix("Sources/ArticleClient/ArticleClient.docc/")
                && $0.path.hasSuffix(".md")
        }
        let listings = pages.flatMap { Sample.samples(in: $0) }
        let texts = files.filter { Sample.isListing($0.path) }
        var unused = Set(texts.map(\.path))
        for listing in listings {
            let whole = listing.lines.map(String.init) + [""]
            let file = texts.first { $0.lines == whole }
            #expect(file != nil, "\(listing.place) is not a file in Tests/Samples")
            if let file { unused.remove(file.path) }
        }
        #expect(unused.isEmpty, "no page shows \(unused.sorted())")
        #expect(listings.count > 10)
    }

    @Test func `the documentation's samples import products only`() throws {
        let products = [
            "ArticleAPI", "ArticleAdminAPI", "ArticleClient", "ArticleOffline", "BroadsheetHTTP",
            "BroadsheetKit", "BroadsheetTesting", "BroadsheetURLSession",
        ]
        let frameworks = ["Foundation", "Observation", "Security", "SwiftUI", "Testing"]
        for file in try SourceTree.files() where Sample.isListing(file.path) {
            for line in file.lines where line.hasPrefix("import ") {
                let module = String(line.dropFirst("import ".count))
                #expect((products + frameworks).contains(module), "\(file.path): \(module)")
            }
        }
    }

    @Test func `a sample that is not compiled is detected`() {
        let code = ["    let a = 1", "", "    let b = 2"]
        func occurs(_ lines: Substring...) -> Bool {
            Sample(place: "", lines: lines).occurs(in: code)
        }
        #expect(occurs("let a = 1", "", "let b = 2"))
        #expect(!occurs("let a = 1", "let b = 2"))
        #expect(!occurs("let b = 3"))
        #expect(!occurs("a = 1"))
        #expect(!occurs())
    }
}
