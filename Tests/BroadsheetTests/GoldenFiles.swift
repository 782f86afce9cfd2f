import Foundation
import Testing

/// Files with the expected help texts. With `BROADSHEET_RECORD=1` in the environment they are
/// rewritten, to be reviewed before they are committed. A run that rewrites them fails, because it
/// compares nothing.
enum GoldenFiles {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Golden")

    static func check(
        _ text: String, _ name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["BROADSHEET_RECORD"] == "1" {
            try Data(text.utf8).write(to: file)
            Issue.record("\(name) was rewritten; review it", sourceLocation: location)
            return
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == expected, sourceLocation: location)
    }

    static var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path())) }
    }
}
