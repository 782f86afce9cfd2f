import Foundation
import Testing

/// What README and documentation show is compiled: each of their samples stands, line for line, in
/// code that the tests build.
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

    /// A sample and where it begins.
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

    /// Lines between ```` ```swift ```` and ```` ``` ````, without what stands before the code.
    private func samples(_ path: String) throws -> [Sample] {
        var found: [Sample] = []
        var open: (first: Int, lines: [Substring])?
        let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let bare = line.trimmingPrefix(#/ *\/\/\/ ?/#)
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

    /// The same code, however deep it stands.
    private func stands(_ sample: [Substring], in code: [Substring]) -> Bool {
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

    @Test func `every sample of README and documentation is compiled`() throws {
        let places =
            try ["README.md"] + files(in: "Sources", ".md", ".swift")
        let found = try places.flatMap(samples)
        let code = try Self.compiled.map {
            try text($0).split(separator: "\n", omittingEmptySubsequences: false)
        }
        for sample in found {
            #expect(code.contains { stands(sample.lines, in: $0) }, "\(sample.place)")
        }
        #expect(found.count > 10)
    }

    @Test func `a sample that stands nowhere is found`() {
        let code: [Substring] = ["    let a = 1", "", "    let b = 2"]
        #expect(stands(["let a = 1", "", "let b = 2"], in: code))
        #expect(!stands(["let a = 1", "let b = 2"], in: code))
        #expect(!stands(["let b = 3"], in: code))
        #expect(!stands(["a = 1"], in: code))
    }
}
