import Foundation
import Testing

/// The samples of README, manual and documentation are compiled: each is contained, line by
/// line, in code that the tests build.
@Suite struct SampleTextTests {
    private static let root = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
        return file.appending(path: "../../..").standardizedFileURL
    }()
    private static let compiled = [
        "Tests/EndToEndTests/Samples/SampleTests.swift",
        "Tests/EndToEndTests/Samples/StubSample.swift", "Tests/Samples/FirstSteps/main.swift",
        "Tests/Samples/FirstSteps/Package.swift.sample",
    ]

    /// A sample and its position.
    private struct Sample {
        let place: String
        let lines: [Substring]
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// The files of a folder with one of the endings, by their paths from the root.
    private func files(in folder: String, _ endings: String...) throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(
            atPath: Self.root.appending(path: folder).path)
        let wanted = all.filter { path in endings.contains { path.hasSuffix($0) } }
        return wanted.map { "\(folder)/\($0)" }
    }

    /// Lines between ```` ```swift ```` and ```` ``` ````, without their prefix.
    private func samples(_ path: String) throws -> [Sample] {
        var found: [Sample] = []
        var open: (first: Int, lines: [Substring])?
        let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            // A page has comments within its samples, a source file its samples within comments.
            let bare = path.hasSuffix(".md") ? line : line.trimmingPrefix(#/ *\/\/\/ ?/#)
            if bare == "```swift" {
                open = (number + 2, [])
            } else if bare == "```", let sample = open {
                found.append(Sample(place: "\(path):\(sample.first)", lines: sample.lines))
                open = nil
            } else {
                open?.lines.append(bare)
            }
        }
        return found
    }

    /// Whether the code is the same apart from indentation.
    private func occurs(_ sample: [Substring], in code: [Substring]) -> Bool {
        guard let first = sample.first, sample.count <= code.count else { return false }
        return (0...code.count - sample.count).contains { start in
            guard code[start].hasSuffix(first) else { return false }
            let indent = code[start].dropLast(first.count)
            guard indent.allSatisfy({ $0 == " " }) else { return false }
            return zip(sample, code[start...]).allSatisfy { line, there in
                line.isEmpty ? there.isEmpty : there == indent + line
            }
        }
    }

    @Test func `every sample of README, manual and documentation is compiled`() throws {
        let places =
            try ["README.md"] + files(in: "Resources/manual", ".md")
            + files(in: "Sources", ".md", ".swift")
        let found = try places.flatMap(samples)
        let files = try Self.compiled + sampleFiles()
        let code = try files.map {
            try text($0).split(separator: "\n", omittingEmptySubsequences: false)
        }
        for sample in found {
            #expect(code.contains { occurs(sample.lines, in: $0) }, "\(sample.place)")
        }
        #expect(found.count > 10)
    }

    /// Files that are listings of the documentation's pages: those that Linux builds, and those
    /// that `make apple-check` compiles.
    private func sampleFiles() throws -> [String] {
        try files(in: "Tests/Samples/Documentation", ".swift")
            + files(in: "Tests/Samples/Apple", ".swift")
    }

    @Test func `a page's listing is a file of its own, and each such file is on a page`() throws {
        let pages = try files(in: "Sources/ArticleClient/ArticleClient.docc", ".md")
        let listings = try pages.flatMap(samples)
        var unused = Set(try sampleFiles())
        let texts = try unused.map { (path: $0, text: try text($0)) }
        for listing in listings {
            let whole = listing.lines.joined(separator: "\n") + "\n"
            let file = texts.first { $0.text == whole }
            #expect(file != nil, "\(listing.place) is no file of Tests/Samples")
            if let file { unused.remove(file.path) }
        }
        #expect(unused.isEmpty, "no page shows \(unused.sorted())")
        #expect(listings.count > 10)
    }

    @Test func `the documentation's samples import products only`() throws {
        let products = ["ArticleAPI", "ArticleClient", "HTTP", "URLSessionTransport"]
        let frameworks = ["Foundation", "Security"]
        for path in try sampleFiles() {
            for line in try text(path).split(separator: "\n") where line.hasPrefix("import ") {
                let module = String(line.dropFirst("import ".count))
                #expect((products + frameworks).contains(module), "\(path) imports \(module)")
            }
        }
    }

    @Test func `a sample that is not compiled is detected`() {
        let code: [Substring] = ["    let a = 1", "", "    let b = 2"]
        #expect(occurs(["let a = 1", "", "let b = 2"], in: code))
        #expect(!occurs(["let a = 1", "let b = 2"], in: code))
        #expect(!occurs(["let b = 3"], in: code))
        #expect(!occurs(["a = 1"], in: code))
    }
}
