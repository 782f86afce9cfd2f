import BroadsheetTestSupport
import Foundation

/// The Swift compiler and formatter, which check generated code as an app's build would.
enum Compiler {
    /// A generated file: its name and its text.
    typealias File = (name: String, text: String)

    private static let settings = [
        "InternalImportsByDefault", "MemberImportVisibility", "ExistentialAny",
        "NonisolatedNonsendingByDefault",
    ]

    /// The errors and warnings of type-checking the files as one module.
    ///
    /// - Parameter isStrict: whether the upcoming features that this package uses are enabled.
    static func faults(_ files: [File], isStrict: Bool = true) async throws -> String {
        let modules = URL(filePath: try builtProgram("broadsheet")).deletingLastPathComponent()
            .appending(path: "Modules")
        let features = isStrict ? settings.flatMap { ["-enable-upcoming-feature", $0] } : []
        return try await run(
            "swiftc",
            ["-typecheck", "-warnings-as-errors", "-swift-version", "6"]
                + ["-module-name", "Generated", "-I", modules.path] + features, files)
    }

    /// Returns the changes that the formatter would make.
    static func misformatted(_ files: [File]) async throws -> String {
        let configuration = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../.swift-format").standardizedFileURL
        return try await run(
            "swift", ["format", "lint", "--strict", "--configuration", configuration.path], files)
    }

    /// Returns the output of a program of these files.
    static func output(of files: [File], _ arguments: [String]) async throws -> String {
        try await withFolder { folder in
            let program = folder.appending(path: "program").path
            let faults = try await run("swiftc", ["-swift-version", "6", "-o", program], files)
            return faults.isEmpty
                ? try await run(program, arguments, [], showsOutput: true) : faults
        }
    }

    private static func withFolder<Result>(
        _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "generated-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Returns the output of a tool if it fails, or if that is asked for.
    private static func run(
        _ tool: String, _ arguments: [String], _ files: [File], showsOutput: Bool = false
    ) async throws -> String {
        try await withFolder { folder in
            try await run(tool, arguments, files, in: folder, showsOutput: showsOutput)
        }
    }

    private static func run(
        _ tool: String, _ arguments: [String], _ files: [File], in folder: URL, showsOutput: Bool
    ) async throws -> String {
        var paths: [String] = []
        for file in files {
            let path = folder.appending(path: "\(file.name).swift")
            try Data(file.text.utf8).write(to: path)
            paths.append(path.path)
        }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [tool] + arguments + paths
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        await mayBlock { process.waitUntilExit() }
        let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
        if process.terminationStatus != 0, text.isEmpty { return "\(tool) failed" }
        return process.terminationStatus == 0 && !showsOutput ? "" : text
    }
}
