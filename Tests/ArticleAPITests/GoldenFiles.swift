import Foundation
import Testing

/// Files that show the wire form; with `BROADSHEET_RECORD=1` in the environment they are written
/// anew, to be read before they are committed. A run that writes them fails: it compares nothing.
enum GoldenFiles {
    static func check(
        _ bytes: [UInt8], _ name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden").appending(path: name)
        if ProcessInfo.processInfo.environment["BROADSHEET_RECORD"] == "1" {
            try Data(bytes).write(to: file)
            Issue.record("\(name) was written anew; read it", sourceLocation: location)
            return
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(String(decoding: bytes, as: UTF8.self) == expected, sourceLocation: location)
    }

    static var names: Set<String> {
        get throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Golden").path()
            return Set(try FileManager.default.contentsOfDirectory(atPath: folder))
        }
    }
}
