import ArticleAPI
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

/// Two certificates that expire while they are served.
@Suite struct CertificateDatesTests {
    private let folder: TemporaryFolder
    private let authority: TestCertificates
    private let files: CertificateFiles
    /// Days from now.
    private let clock = Lock<Double>(0)
    private let lines = Lock<[String]>([])

    init() throws {
        folder = try TemporaryFolder()
        authority = try TestCertificates()
        files = CertificateFiles(
            paths: ["a", "b"].map { [folder] in
                .init(certificate: folder.file("\($0).pem"), key: folder.file("\($0).key"))
            })
    }

    /// Writes a certificate that expires in the given number of days.
    private func put(_ place: String, days: Int) throws {
        let pair = try authority.pair(["\(place).test"], days: days, startsInDays: -60)
        for (bytes, part) in [(pair.certificate, "pem"), (pair.key, "key")] {
            let file = try #require(fopen(folder.file("\(place).\(part)"), "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
    }

    private func certificates() throws -> Certificates {
        let start = Int64(time(nil))
        let log = ServerLog(isJSON: false, system: .real) { [lines, folder] line in
            let text = line.replacing("\(folder.path)/", with: "").dropLast()
            lines.withLock { $0.append(String(text)) }
        }
        return try Certificates(
            files, profile: .intermediate, protocols: ["http/1.1"], log,
            .clock { [clock] in
                let seconds = start + Int64(clock.withLock { $0 } * 86_400)
                return Timestamp(milliseconds: seconds * 1_000)
            })
    }

    /// The lines logged since the last call.
    private func logged() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    @Test func `an expired certificate may stay, and does not prevent the renewal of others`()
        throws
    {
        try put("a", days: -1)
        try put("b", days: 40)
        let certificates = try certificates()
        #expect(logged() == ["warning: a.pem: has expired"])
        let before = certificates.server.certificates
        try put("b", days: 90)
        certificates.reload()
        #expect(logged() == ["loaded the new certificates", "warning: a.pem: has expired"])
        let after = certificates.server.certificates
        #expect(after[0] == before[0] && after[1] != before[1])
        try put("a", days: 90)
        certificates.reload()
        #expect(logged() == ["loaded the new certificates"])
    }

    @Test func `a certificate that expires while served does not prevent the renewal of others`()
        throws
    {
        try put("a", days: 30)
        try put("b", days: 30)
        let certificates = try certificates()
        clock.withLock { $0 = 31 }
        try put("b", days: 90)
        certificates.reload()
        #expect(logged() == ["loaded the new certificates", "warning: a.pem: has expired"])
    }

    @Test(arguments: ["a", "b"])
    func `an expired certificate that replaces another is rejected`(place: String) throws {
        try put("a", days: -1)
        try put("b", days: 40)
        let certificates = try certificates()
        let before = certificates.server.certificates
        _ = logged()
        // Replaces an expired certificate by another expired one, and then a valid one.
        try put(place, days: -2)
        certificates.reload()
        #expect(logged() == ["error: keeping the current certificates: \(place).pem: has expired"])
        #expect(certificates.server.certificates == before)
    }

    @Test func `an expired certificate in two places is rejected`() throws {
        try put("a", days: -1)
        try put("b", days: 40)
        let certificates = try certificates()
        _ = logged()
        for part in ["pem", "key"] {
            #expect(unlink(folder.file("b.\(part)")) == 0)
            #expect(link(folder.file("a.\(part)"), folder.file("b.\(part)")) == 0)
        }
        certificates.reload()
        #expect(logged() == ["error: keeping the current certificates: b.pem: has expired"])
    }

    @Test func `an upcoming expiry is logged once a day`() throws {
        try put("a", days: 20)
        try put("b", days: 90)
        let certificates = try certificates()
        func lookAt(_ day: Double) -> [String] {
            clock.withLock { $0 = day }
            certificates.poll()
            return logged()
        }
        #expect(logged() == [])
        #expect(lookAt(0.5) == [] && lookAt(3) == [])
        // The certificate was created in the second of the clock's start, or in the next.
        #expect(lookAt(7.5) == ["warning: a.pem: expires in 12 days"])
        #expect(lookAt(7.6) == [] && lookAt(8.4) == [])
        #expect(lookAt(8.5) == ["warning: a.pem: expires in 11 days"])
        #expect(lookAt(20.5) == ["warning: a.pem: has expired"])
        #expect(lookAt(21) == [])
        // The clock was set back.
        #expect(lookAt(19.5) == ["warning: a.pem: expires in 0 days"])
        try put("a", days: 90)
        certificates.reload()
        #expect(logged() == ["loaded the new certificates"])
        #expect(lookAt(22) == [])
    }
}
