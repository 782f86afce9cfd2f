import Glibc
import TestSupport
import Testing

/// Files that the doctor cannot read, or make sense of.
@Suite struct DoctorFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

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
