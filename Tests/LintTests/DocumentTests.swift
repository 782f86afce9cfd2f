import Foundation
import Testing

/// The documents name only files that exist, and link only to pages and headings that exist.
@Suite struct DocumentTests {
    private static func documents() throws -> [SourceFile] {
        try SourceTree.files().filter { file in
            file.path.hasSuffix(".md")
                && (!file.path.contains("/") || file.path.hasPrefix("docs/")
                    || file.path.hasPrefix("Resources/manual/"))
        }
    }

    @Test func `every link leads to a file and a heading`() throws {
        let headings = Dictionary(
            uniqueKeysWithValues: try Self.documents().map { ($0.path, Self.anchors(of: $0)) })
        var count = 0
        for document in try Self.documents() {
            for match in document.text.matches(of: /\]\(([^)\s]*)\)/) {
                let link = String(match.output.1)
                guard !link.contains(":"), !link.hasSuffix(".png") else { continue }
                let parts = link.split(
                    separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let path =
                    parts[0].isEmpty ? document.path : Self.resolved(parts[0], from: document.path)
                let place = "\(document.path): \(link)"
                let file = SourceTree.root.appending(path: path).path
                #expect(FileManager.default.fileExists(atPath: file), "\(place)")
                if parts.count > 1, let known = headings[path] {
                    #expect(known.contains(String(parts[1])), "\(place)")
                }
                count += 1
            }
        }
        #expect(count > 50)
    }

    @Test func `the manual's index lists every page`() throws {
        let pages = try Self.documents().filter { $0.path.hasPrefix("Resources/manual/") }
        let index = try #require(pages.first { $0.path == "Resources/manual/index.md" })
        for page in pages where page.path != index.path {
            let name = page.path.dropFirst("Resources/manual/".count)
            #expect(index.text.contains("](\(name))"), "\(name)")
        }
    }

    /// Paths in backticks are relative to the package or to `Sources`.
    @Test func `every source file that a document for contributors names exists`() throws {
        let paths = Set(try SourceTree.files().map(\.path))
        var count = 0
        for document in try Self.documents()
        where document.path == "CONTRIBUTING.md" || document.path.hasPrefix("docs/") {
            for match in document.text.matches(of: /`([\w.+\/]+\/[\w.+]+\.swift)`/) {
                let path = String(match.output.1)
                #expect(
                    paths.contains(path) || paths.contains("Sources/\(path)"),
                    "\(document.path): \(path)")
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test func `the diagram of a request names types that exist`() throws {
        let document = try #require(
            try SourceTree.files().first { $0.path == "docs/architecture.md" })
        let diagram = try #require(document.text.split(separator: "```").dropFirst().first)
        let names = Set(
            diagram.matches(of: /\b[A-Z]\w*[a-z]\w*[A-Z]\w*|\bExchange\b/).map(\.output))
        #expect(names.count > 15)
        let sources = try SourceTree.files().filter { $0.target != nil && $0.isSwift }
        for name in names {
            // Most types have a file of their own, which is found sooner.
            let isDeclared =
                sources.contains { $0.path.hasSuffix("/\(name).swift") }
                || sources.contains { file in
                    ["struct", "class", "protocol"].contains { kind in
                        file.text.contains("\(kind) \(name)")
                    }
                }
            #expect(isDeclared, "\(name)")
        }
    }

    private static func resolved(_ link: Substring, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map { $0 }
        for part in link.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    /// The anchors that GitHub gives to the headings.
    private static func anchors(of document: SourceFile) -> Set<String> {
        Set(
            document.lines.filter { $0.hasPrefix("#") }.map { line in
                let title = line.drop { $0 == "#" }.dropFirst().lowercased()
                let kept = title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                return kept.replacing(" ", with: "-")
            })
    }
}
