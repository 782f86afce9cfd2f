import Foundation
import Testing

/// Files that show the wire form, which the binary contains as examples; with `BROADSHEET_RECORD=1`
/// in the environment they are written anew, to be read before they are committed. A run that
/// writes them fails: it compares nothing.
enum GoldenFiles {
    static func check(
        _ bytes: [UInt8], _ name: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["BROADSHEET_RECORD"] == "1" {
            try Data(bytes).write(to: file)
            Issue.record("\(name) was written anew; read it", sourceLocation: location)
            return
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(String(decoding: bytes, as: UTF8.self) == expected, sourceLocation: location)
    }

    /// The examples that the description of the API shows.
    private static var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Resources/examples").standardizedFileURL
    }

    static var names: Set<String> {
        get throws {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder.path()))
        }
    }
}
