import BroadsheetTestSupport
import Foundation
import Testing

/// `broadsheet generate` as users run it.
@Suite(.mayBlock) struct GenerateTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, _ name: String) throws -> String {
        let path = folder.file(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func `a model is written to standard output or to a file`() throws {
        let first = try write(#"{"title":"Bread","rating":4}"#, "a.json")
        let second = try write(#"{"title":"Rye"}"#, "b.json")
        let printed = try Program.run("generate", "swift", "Loaf", first, second)
        #expect(printed.status == 0 && printed.errors.isEmpty)
        #expect(printed.output.contains("    public let rating: Int?"))
        let output = folder.file("Loaf.swift")
        let written = try Program.run(
            "generate", "swift", "Loaf", first, second, "--output", output)
        #expect(written.status == 0 && written.output.isEmpty)
        let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
        #expect(text == printed.output.joined(separator: "\n") + "\n")
    }

    @Test func `what is not JSON leaves the file as it was`() throws {
        let sample = try write(#"{"title":}"#, "a.json")
        let output = try write("before", "A.swift")
        let result = try Program.run("generate", "swift", "A", sample, "--output", output)
        #expect(result.status == 65)
        let reason = "a.json: unexpected `}`, at line 1, column 10 ($.title)"
        #expect(result.errors == ["broadsheet: \(reason)"])
        #expect(try String(contentsOf: URL(filePath: output), encoding: .utf8) == "before")
    }

    private static let description = """
        {"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{
        "/a":{"get":{"operationId":"a","responses":{"204":{"description":""}}}},
        "/b":{"get":{"operationId":"b","parameters":[{"name":"c","in":"cookie","schema":{}}],
        "responses":{"204":{"description":""}}}}}}
        """

    @Test func `what cannot be expressed is listed`() throws {
        let path = try write(Self.description, "api.json")
        let output = folder.file("API.swift")
        let result = try Program.run("generate", "requests", path, "--output", output)
        #expect(result.status == 65)
        let finding = "/paths/~1b/get/parameters/0: parameters in cookies are not supported"
        #expect(result.errors.first == finding && result.errors.count == 2)
        #expect(!FileManager.default.fileExists(atPath: output))
        let other = try Program.run(
            "generate", "requests", path, "--output", output, "--skip-unsupported")
        #expect(other.status == 0 && other.errors == ["left out: \(finding)"])
        let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
        #expect(text.contains("struct ARequest:") && !text.contains("struct BRequest:"))
    }

    @Test func `a URL is fetched`() throws {
        let served = try RunningServer(folder.file("a.db"), ["--samples"])
        let server = "http://\(served.addresses[0])"
        let result = try Program.run(
            "generate", "swift", "Tags", "\(server)/v1/tags?limit=5", "--internal")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("        let articleCount: Int"))
        let missing = try Program.run("generate", "swift", "Tags", "\(server)/v1/nothing")
        #expect(missing.status == 69)
        #expect(missing.errors == ["broadsheet: \(server)/v1/nothing: the status is 404"])
    }

    @Test(arguments: [
        ["generate"], ["generate", "swift", "A"], ["generate", "requests", "a", "b"],
        ["generate", "swift", "A", "ftp://example.org/a"],
        ["generate", "requests", "a", "--codable"],
    ])
    func `other arguments are rejected`(arguments: [String]) throws {
        let program = try Program.start(arguments)
        #expect(program.output.rest().isEmpty && program.errors.rest().count == 1)
        #expect(program.wait() == 64)
    }

    /// `broadsheet-generate` beside the subcommand.
    @Test func `the generator's own program does the same`() throws {
        let sample = try write(#"{"title":"Bread","rating":4}"#, "a.json")
        let broken = try write(#"{"title":}"#, "b.json")
        let api = try write(Self.description, "api.json")
        let served = try RunningServer(folder.file("a.db"), ["--samples"])
        let server = "http://\(served.addresses[0])"
        for arguments in [
            ["swift", "Loaf", sample, "--codable", "--internal"],
            ["swift", "Loaf", broken], ["swift", "loaf", sample],
            ["requests", api], ["requests", api, "--skip-unsupported"],
            ["swift", "Tags", "\(server)/v1/tags?limit=5"],
            ["swift", "Tags", "\(server)/v1/nothing"],
            ["requests", api, "--output"], ["swift", "Loaf", sample, "--nothing"],
        ] {
            let expected = try Self.result(Program.start(["generate"] + arguments))
            let found = try Self.result(
                RunningProgram(builtProgram("broadsheet-generate"), arguments))
            #expect(found.status == expected.status, "\(arguments)")
            #expect(found.output == expected.output, "\(arguments)")
            let errors = found.errors.map {
                $0.replacing("broadsheet-generate: ", with: "broadsheet: ")
            }
            #expect(errors == expected.errors, "\(arguments)")
        }
    }

    @Test func `the generator's own program writes files, and explains itself`() throws {
        let program = try builtProgram("broadsheet-generate")
        let sample = try write(#"{"title":"Bread"}"#, "a.json")
        let output = try write("before", "Loaf.swift")
        let written = try Self.result(
            RunningProgram(program, ["swift", "Loaf", sample, "--output", output]))
        #expect(written.status == 0 && written.output.isEmpty && written.errors.isEmpty)
        let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
        #expect(text.contains("    public let title: String"))
        for (arguments, status) in [
            ([], 64), (["swift", "A"], 64), (["swift", "A", "ftp://example.org/a"], 64),
            (["swift", "A", folder.file("nothing")], 66),
            (["swift", "A", sample, "--output", folder.file("b/c")], 73),
        ] as [([String], Int32)] {
            let result = try Self.result(RunningProgram(program, arguments))
            #expect(result.status == status && result.errors.count == 1, "\(arguments)")
        }
        let help = try Self.result(RunningProgram(program, ["--help"]))
        #expect(help.status == 0 && help.output.contains { $0.contains("--skip-unsupported") })
    }

    private static func result(_ program: RunningProgram) -> Program.Ended {
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Program.Ended(status: program.wait(), output: output, errors: errors)
    }
}
