import BroadsheetTestSupport
import Glibc
import Testing

/// Files that the doctor cannot read or parse.
@Suite(.mayBlock) struct DoctorFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func diagnose(_ arguments: String...) throws -> DoctorTests.Report {
        try DoctorTests.Report(
            Program.start(
                [
                    "doctor", "--json", "--database", folder.file("a.db"), "--listen",
                    "127.0.0.1:0",
                ] + arguments))
    }

    @Test(arguments: [
        (#"{"listn": "127.0.0.1:0"}"#, #"unknown option "listn""#), ("{\n\"loops\": 1,\n", ":3: "),
        ("[1]", "not a JSON object"), (#"{"loops": {}}"#, "loops in "),
    ])
    func `an invalid configuration file is a finding, and the other checks run`(
        text: String, says: String
    ) throws {
        let path = folder.file("broadsheet.json")
        try write(text, to: path)
        chmod(path, 0o600)
        let report = try diagnose("--config", path)
        #expect(report.has("configuration", "failure", says), "\(report.findings)")
        #expect(report.has("configuration", "failure", path))
        #expect(report.findings["configuration"]?.count == 1 && report.status == 78)
        for subject in ["database", "certificates", "addresses", "disk"] {
            #expect(report.has(subject, "ok"), "\(subject)")
        }
        // serve rejects the file, too.
        let serve = try Program.run("serve", "--listen", "127.0.0.1:0", "--config", path)
        #expect(serve.status == 78 && serve.errors.count == 1 && serve.output == [])
    }

    @Test func `text output has a line with advice for each of two failures`() throws {
        let path = folder.file("none.json")
        let ended = try Program.run(
            "doctor", "--database", folder.file("a.db"), "--listen", "127.0.0.1:0", "--loops", "0",
            environment: ["BROADSHEET_CONFIG": path])
        #expect(ended.status == 78)
        #expect(ended.errors == ["broadsheet: 2 failures, see above"])
        let first = "FAILURE  configuration: cannot read \(path): No such file or directory"
        #expect(ended.output.first == first)
        #expect(ended.output.dropFirst().first?.contains("fix the file") == true)
        #expect(ended.output.contains { $0.hasPrefix("FAILURE  configuration: --loops") })
        #expect(ended.output.contains { $0.hasPrefix("ok       disk: ") })
    }

    @Test func `an unreadable key and an invalid one get different advice`() throws {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("tls"))
        try #require(made.status == 0)
        chmod(folder.file("tls.key"), 0o000)
        // Root can read everything unless the capabilities for it are dropped.
        let program = try Shell.start(
            """
            if [ "$(id -u)" = 0 ]; then
                without="setpriv --bounding-set -dac_override,-dac_read_search"
            fi
            exec $without "$binary" doctor --json --database "$folder/a.db" \
                --listen 127.0.0.1:0 \
                --tls-certificate "$folder/tls.pem" --tls-key "$folder/tls.key"
            """, folder: folder.path)
        let report = try DoctorTests.Report(program)
        #expect(report.has("certificates", "failure", "tls.key: Permission denied"))
        let advice = report.findings["certificates"]?.first?.advice
        #expect(
            advice?.contains("let the user who runs the server read it") == true, "\(advice ?? "")")
    }
}
