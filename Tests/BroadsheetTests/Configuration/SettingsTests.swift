import ArticleAPI
import Testing

@testable import broadsheet

@Suite struct SettingsTests {
    static let options = [
        Option("listen", "ADDRESS", "where", repeatable: true),
        Option("max-connections", "N", "how many", default: "12000"),
        Option("samples", nil, "whether"),
        Option("config", "FILE", "a file"),
    ]

    /// Settings from a command line, an environment and the text of `a.json`.
    private func settings(
        _ line: String = "", _ environment: [String: String] = [:], file: String = "{}"
    ) throws(CommandFailure) -> Settings {
        try Settings(
            options: Self.options, strangers: ["loops"],
            arguments: line.split(separator: " ").map(String.init),
            environment: environment
        ) { (path) throws(CommandFailure) in
            guard path == "a.json" else { throw CommandFailure(.noInput, "no \(path)") }
            return Array(file.utf8)
        }
    }

    @Test func `an option has a variable and a key of the same name`() {
        let option = Self.options[1]
        #expect(option.variable == "BROADSHEET_MAX_CONNECTIONS")
        #expect(option.key == "maxConnections")
    }

    @Test func `flags win over the environment, that over the file, that over defaults`() throws {
        let environment = ["BROADSHEET_MAX_CONNECTIONS": "2", "BROADSHEET_CONFIG": "a.json"]
        let file = #"{"maxConnections": 3}"#
        func number(_ settings: Settings) throws -> Int {
            try settings.integer("max-connections", in: 1...10, default: 4)
        }
        #expect(try number(settings("--max-connections 1", environment, file: file)) == 1)
        #expect(try number(settings("", environment, file: file)) == 2)
        #expect(try number(settings("--config a.json", file: file)) == 3)
        #expect(try number(settings()) == 4)
    }

    @Test func `one file serves all commands, and none takes an unknown name`() throws {
        let both = #"{"maxConnections": 3, "loops": [{}]}"#
        #expect(try settings("--config a.json", file: both).all("max-connections").count == 1)
        let wrong = try #require(throws: CommandFailure.self) {
            try settings("--config a.json", file: #"{"lops": 2}"#)
        }
        #expect(wrong.status == .configuration && wrong.message.contains("lops"))
        #expect(Broadsheet.configurationKeys.isSuperset(of: ["loops", "dryRun", "role"]))
        #expect(!Broadsheet.configurationKeys.contains("config"))
    }

    @Test(arguments: [#"{"lops": 2}"#, "{", "[]", #"{"maxConnections": null}"#])
    func `a wrong file that is examined is told, and nothing of it counts`(file: String) throws {
        let thrown = #expect(throws: CommandFailure.self) {
            try settings("--config a.json", file: file)
        }
        let examined = try Settings(
            options: Self.options, examinesFile: true,
            arguments: ["--config", "a.json", "--listen", "b"], environment: [:]
        ) { (_) throws(CommandFailure) in Array(file.utf8) }
        #expect(examined.fileFailure?.message == thrown?.message)
        #expect(examined.text("listen") == "b" && examined.text("max-connections") == nil)
    }

    @Test(arguments: [
        ("--listen a --listen b", [:], "{}"), ("--listen=a --listen=b", [:], "{}"),
        ("", ["BROADSHEET_LISTEN": "a,b"], "{}"),
        ("--config a.json", [:], #"{"listen": ["a", "b"]}"#),
    ])
    func `a repeatable option takes several values`(
        line: String, environment: [String: String], file: String
    ) throws {
        #expect(
            try settings(line, environment, file: file).all("listen").map(\.text) == ["a", "b"])
    }

    @Test(arguments: [
        ("--samples", [:], true), ("--samples=off", [:], false), ("", [:], false),
        ("", ["BROADSHEET_SAMPLES": "yes"], true), ("", ["BROADSHEET_SAMPLES": "0"], false),
    ])
    func `a switch is on or off`(line: String, environment: [String: String], isOn: Bool) throws {
        #expect(try settings(line, environment).isOn("samples") == isOn)
    }

    @Test func `operands stand beside options, and behind two dashes whatever they look like`()
        throws
    {
        #expect(
            try settings("one --samples two - -- --three").operands == [
                "one", "two", "-", "--three",
            ])
    }

    struct Refusal: Sendable {
        var line = ""
        var environment: [String: String] = [:]
        var file = "{}"
        let status: broadsheet.ExitStatus
        let message: String
    }

    static let refusals = [
        Refusal(line: "--frob", status: .usage, message: "--frob is no option here; see --help"),
        Refusal(line: "--listen", status: .usage, message: "--listen needs ADDRESS"),
        Refusal(
            line: "--max-connections many", status: .usage,
            message: #"--max-connections: "many" is not a whole number from 1 to 10"#),
        Refusal(
            environment: ["BROADSHEET_MAX_CONNECTIONS": "11"], status: .configuration,
            message: #"BROADSHEET_MAX_CONNECTIONS: "11" is not a whole number from 1 to 10"#),
        Refusal(
            line: "--config a.json", file: #"{"maxConnections": 1.5}"#, status: .configuration,
            message: #"maxConnections in a.json: "1.5" is not a whole number from 1 to 10"#),
        Refusal(
            line: "--config a.json", file: #"{"max": 1}"#, status: .configuration,
            message: #"a.json: "max" is no option"#),
        Refusal(
            line: "--config a.json", file: "[]", status: .configuration,
            message: "a.json: needs one JSON object"),
        Refusal(
            line: "--config a.json", file: #"{"maxConnections": {}}"#, status: .configuration,
            message: "maxConnections in a.json: needs a text, a number or true or false"),
        Refusal(line: "--config b.json", status: .noInput, message: "no b.json"),
    ]

    @Test(arguments: refusals)
    func `what is wrong is named, with where it stood`(refusal: Refusal) {
        let failure = #expect(throws: CommandFailure.self) {
            try settings(refusal.line, refusal.environment, file: refusal.file)
                .integer("max-connections", in: 1...10, default: 1)
        }
        #expect(failure?.message == refusal.message)
        #expect(failure?.status == refusal.status)
    }

    @Test func `a file that is no JSON is refused with its line`() {
        let failure = #expect(throws: CommandFailure.self) {
            try settings("--config a.json", file: "{\n  \"listen\": nowhere\n}")
        }
        #expect(failure?.message.hasPrefix("a.json:2: ") == true)
    }
}
