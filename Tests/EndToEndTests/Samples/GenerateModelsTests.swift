import BroadsheetTestSupport
import Foundation
import Testing

/// The manual's example of `swift package generate-models`, in a package of its own. It builds the
/// generator from nothing, which takes half a minute of CPU.
@Suite(.mayBlock, .enabled(if: Thoroughness.isFull, "make faults builds a package"))
struct GenerateModelsTests {
    private static let root = URL(filePath: #filePath)
        .appending(path: "../../../..").standardizedFileURL

    private let folder: TemporaryFolder
    private let package: URL

    init() throws {
        folder = try TemporaryFolder()
        package = URL(filePath: folder.file("weather"))
        let sources = package.appending(path: "Sources/weather")
        let files = FileManager.default
        try files.createDirectory(at: sources, withIntermediateDirectories: true)
        try files.createSymbolicLink(
            at: URL(filePath: folder.file("broadsheet")), withDestinationURL: Self.root)
        let samples = Self.root.appending(path: "Tests/Samples/GenerateModels")
        for (name, destination) in [
            ("Package.swift.sample", package.appending(path: "Package.swift")),
            ("main.swift", sources.appending(path: "main.swift")),
            ("monday.json", package.appending(path: "monday.json")),
        ] {
            try files.copyItem(at: samples.appending(path: name), to: destination)
        }
    }

    private func swift(_ arguments: [String]) throws -> Program.Ended {
        let program = try RunningProgram("/usr/bin/env", ["swift"] + arguments)
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }

    private func generate(_ arguments: String...) throws -> Program.Ended {
        try swift(
            [
                "package", "--package-path", package.path, "--allow-writing-to-package-directory",
                "--allow-network-connections", "all", "generate-models",
            ] + arguments)
    }

    @Test func `a package generates a model from a file, and is compiled with it`() throws {
        let generated = try generate(
            "swift", "Forecast", "monday.json", "--codable", "--internal", "--output",
            "Sources/weather/Forecast.swift")
        #expect(generated.status == 0, "\(generated)")
        let run = try swift(
            [
                "run", "--package-path", package.path, "weather",
                package.appending(path: "monday.json").path,
            ])
        #expect(run.status == 0, "\(run)")
        #expect(run.output.last == "Seoul, 1970-01-01 00:00:00 +0000: -2.5 °C")

        let wrong = package.appending(path: "wrong.json")
        try Data(#"{"title":}"#.utf8).write(to: wrong)
        let rejected = try generate("swift", "Wrong", "wrong.json", "--output", "Wrong.swift")
        #expect(rejected.status == 1)
        let reason = "wrong.json: unexpected `}`, at line 1, column 10 ($.title)"
        #expect(rejected.output.contains("broadsheet-generate: \(reason)"), "\(rejected)")
        #expect(rejected.errors.contains("error: nothing was generated"))
        #expect(
            !FileManager.default.fileExists(
                atPath: package.appending(path: "Wrong.swift").path))

        let served = try RunningServer(folder.file("a.db"), ["--samples"])
        let fetched = try generate(
            "swift", "Tags", "http://\(served.addresses[0])/v1/tags", "--output", "Tags.swift")
        #expect(fetched.status == 0, "\(fetched)")
        let tags = try String(
            contentsOf: package.appending(path: "Tags.swift"), encoding: .utf8)
        #expect(tags.contains("public struct Tags: Sendable, Hashable {"))
    }
}
