import Glibc
import TestSupport
import Testing

/// Files that the doctor cannot read, or make sense of.
@Suite struct DoctorFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func examine(_ arguments: String...) throws -> DoctorTests.Report {
        try DoctorTests.Report(
            Program.start(
                [
                    "doctor", "--json", "--database", folder.file("a.db"), "--listen",
                    "127.0.0.1:0",
                ] + arguments))
    }

    @Test(arguments: [
        (#"{"listn": "127.0.0.1:0"}"#, #""listn" is no option"#), ("{\n\"loops\": 1,\n", ":3: "),
        ("[1]", "needs one JSON object"), (#"{"loops": {}}"#, "loops in "),
    ])
    func `a configuration file that is wrong is a finding, and the rest is examined`(
        text: String, says: String
    ) throws {
        let path = folder.file("broadsheet.json")
        try write(text, to: path)
        chmod(path, 0o600)
        let report = try examine("--config", path)
        #expect(report.has("configuration", "failure", says), "\(report.findings)")
        #expect(report.has("configuration", "failure", path))
        #expect(report.findings["configuration"]?.count == 1 && report.status == 78)
        for subject in ["database", "certificates", "addresses", "disk"] {
            #expect(report.has(subject, "ok"), "\(subject)")
        }
        // What it says of serving is so.
        let serve = try Program.run("serve", "--listen", "127.0.0.1:0", "--config", path)
        #expect(serve.status == 78 && serve.errors.count == 1 && serve.output == [])
    }

    @Test func `for people it is a line with advice, and both faults are told`() throws {
        let path = folder.file("none.json")
        let ended = try Program.run(
            "doctor", "--database", folder.file("a.db"), "--listen", "127.0.0.1:0", "--loops", "0",
            environment: ["BROADSHEET_CONFIG": path])
        #expect(ended.status == 78)
        #expect(ended.errors == ["broadsheet: 2 failures, see above"])
        let first = "FAILURE  configuration: cannot read \(path): No such file or directory"
        #expect(ended.output.first == first)
        #expect(ended.output.dropFirst().first?.contains("mend the file") == true)
        #expect(ended.output.contains { $0.hasPrefix("FAILURE  configuration: --loops") })
        #expect(ended.output.contains { $0.hasPrefix("ok       disk: ") })
    }

    @Test func `a key that the user may not read is told apart from one that is none`() throws {
        let made = try Program.run(
            "certificate", "--self-signed", "localhost", "--out", folder.file("tls"))
        try #require(made.status == 0)
        chmod(folder.file("tls.key"), 0o000)
        // Root reads everything, unless its right to do so is taken.
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
        #expect(advice?.contains("let the user who serves read it") == true, "\(advice ?? "")")
    }
}
