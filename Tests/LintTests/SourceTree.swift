import Foundation

/// One text file of the package.
struct SourceFile: Sendable {
    /// Relative to the package, with `/`.
    let path: String
    /// To be searched before the lines are: most files contain nothing that a rule is about.
    let text: String
    let lines: [String]

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    /// The target, for files of `Sources`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }
}

/// A violation of a house rule, with its place.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let fault: String

    var description: String { "\(path):\(line): \(fault)" }
}

/// The package's files, located by the path of this file when it was compiled.
enum SourceTree {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let read = Result { try readFiles() }
    private static let parsed = Result {
        try files().filter(\.isSwift).map { (file: $0, text: SwiftText($0)) }
    }

    /// Every text file that is written by hand. It is read once in a run.
    static func files() throws -> [SourceFile] { try read.get() }

    /// Every Swift file, parsed once in a run.
    static func swiftFiles() throws -> [(file: SourceFile, text: SwiftText)] { try parsed.get() }

    private static func readFiles() throws -> [SourceFile] {
        let top = ["Package.swift", "Makefile", "Dockerfile", ".dockerignore", ".gitignore"]
        let documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        let folders = [".ci", "Plugins", "Resources", "Sources", "Tests", "docs"]
        var paths = top + documents
        for folder in folders {
            let inside = try FileManager.default.subpathsOfDirectory(
                atPath: root.appending(path: folder).path)
            paths += inside.sorted().map { "\(folder)/\($0)" }
        }
        return try paths.compactMap { path in
            let url = root.appending(path: path)
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
                let text = String(data: try Data(contentsOf: url), encoding: .utf8)
            else { return nil }
            return SourceFile(path, text)
        }
    }

    /// The names in a folder, without hidden ones.
    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appending(path: path)))
    }
}
