import BroadsheetTestSupport
import Foundation
import Testing

/// `.ci/apple-check` must fail where the build of an app would, and wherever it cannot tell.
@Suite(.serialized) struct AppleCheckTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".ci/apple-check")

    /// Runs the check for macOS on a source tree with one file per module.
    private func check(
        _ source: String, path: String? = nil
    ) async throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "apple-check-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = Self.script.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources")
        for module in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
            let place = folder.appending(path: "Sources/\(module)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let text = module == "BroadsheetHTTP" ? source : "let nothing = 0\n"
            try Data(text.utf8).write(to: place.appending(path: "A.swift"))
        }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = Self.script
        process.arguments = ["--sources", folder.appending(path: "Sources").path, "macos"]
        if let path {
            process.environment = ProcessInfo.processInfo.environment.merging(["PATH": path]) { $1 }
        }
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        await mayBlock { process.waitUntilExit() }
        return (
            process.terminationStatus, String(decoding: try Data(contentsOf: log), as: UTF8.self)
        )
    }

    @Test func `an array's span is rejected, and a slice's is not`() async throws {
        let array = try await check("func count(_ bytes: [UInt8]) -> Int { bytes.span.count }\n")
        #expect(array.status == 1)
        #expect(array.output.contains("'span' is only available in macOS 26.0 or newer"))
        #expect(array.output.contains("HTTP/A.swift:1:"))
        let slice = try await check(
            "func count(_ bytes: ArraySlice<UInt8>) -> Int { bytes.span.count }\n")
        #expect(slice.status == 0, "\(slice.output)")
    }

    @Test func `an import that only exists on Linux is rejected`() async throws {
        let result = try await check("import Glibc\n")
        #expect(result.status == 1)
        #expect(result.output.contains("no such module 'Glibc'"))
    }

    @Test func `a compiler that crashes silently fails the check`() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "apple-check-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let compiler = folder.appending(path: "swiftc")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = "#!/bin/sh\n[ \"$1\" = --version ] || kill -9 $$\necho \(UUID().uuidString)\n"
        try Data(script.utf8).write(to: compiler)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: compiler.path)
        let result = try await check("let nothing = 0\n", path: "\(folder.path):/usr/bin:/bin")
        #expect(result.status == 1)
        #expect(result.output.contains("apple-check: "))
    }
}
