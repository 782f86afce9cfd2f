import BroadsheetSwiftGenerator
import Foundation
import Testing

/// The documents of the tests, and what is generated from them.
enum GeneratedFiles {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The path of a folder with documents.
    static func path(of name: String) -> String { folder.appending(path: name).path }

    /// The names of the documents in a folder, without their extension.
    static func names(in name: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: name).path)
        return (names ?? []).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
            .sorted()
    }

    static func documents(in place: String) throws -> [SwiftGenerator.Source] {
        try names(in: place).map { try document($0, in: place) }
    }

    static func document(_ name: String, in place: String) throws -> SwiftGenerator.Source {
        let file = folder.appending(path: "\(place)/\(name).json")
        return .init(name: "\(name).json", bytes: [UInt8](try Data(contentsOf: file)))
    }

    /// Compares a text with a golden file. With `BROADSHEET_RECORD=1` in the environment the file
    /// is rewritten, to be reviewed before it is committed; such a run fails.
    static func check(
        _ text: String, _ path: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appending(path: path)
        if ProcessInfo.processInfo.environment["BROADSHEET_RECORD"] == "1" {
            try Data(text.utf8).write(to: file)
            Issue.record("\(path) was rewritten; review it", sourceLocation: location)
            return
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == expected, sourceLocation: location)
    }
}

extension SwiftGenerator.Options {
    static func with(
        codable: Bool = false, internal isInternal: Bool = false, skipping: Bool = false,
        offline: Bool = false
    ) -> SwiftGenerator.Options {
        var options = SwiftGenerator.Options()
        options.isCodable = codable
        options.isInternal = isInternal
        options.skipsUnsupported = skipping
        options.isOffline = offline
        return options
    }
}

extension SwiftGenerator.Source {
    init(_ text: String, name: String = "sample.json") {
        self.init(name: name, bytes: Array(text.utf8))
    }
}
