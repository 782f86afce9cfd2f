import Glibc
import Sockets
import TestSupport
import Testing

@testable import broadsheet

/// Two certificates that grow old while they are served.
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

    /// Puts a certificate into its place that expires in so many days.
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
        let log = ServerLog(isJSON: false) { [lines, folder] line in
            let text = line.replacing("\(folder.path)/", with: "").dropLast()
            lines.withLock { $0.append(String(text)) }
        }
        return try Certificates(files, profile: .intermediate, log) { [clock] in
            start + Int64(clock.withLock { $0 } * 86_400)
        }
    }

    /// What was logged since the last question.
    private func logged() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    @Test func `an expired one may stay, and keeps no other from being renewed`() throws {
        try put("a", days: -1)
        try put("b", days: 40)
        let certificates = try certificates()
        #expect(logged() == ["warning: a.pem: has expired"])
        let before = certificates.server.certificates
        try put("b", days: 90)
        certificates.reload()
        #expect(logged() == ["took the new certificates", "warning: a.pem: has expired"])
        let after = certificates.server.certificates
        #expect(after[0] == before[0] && after[1] != before[1])
        try put("a", days: 90)
        certificates.reload()
        #expect(logged() == ["took the new certificates"])
    }

    @Test func `one that expired while it was served keeps no other from being renewed`() throws {
        try put("a", days: 30)
        try put("b", days: 30)
        let certificates = try certificates()
        clock.withLock { $0 = 31 }
        try put("b", days: 90)
        certificates.reload()
        #expect(logged() == ["took the new certificates", "warning: a.pem: has expired"])
    }

    @Test(arguments: ["a", "b"])
    func `an expired one in the place of another is refused`(place: String) throws {
        try put("a", days: -1)
        try put("b", days: 40)
        let certificates = try certificates()
        let before = certificates.server.certificates
        _ = logged()
        // Another one than the expired that was there, and one that was good.
        try put(place, days: -2)
        certificates.reload()
        #expect(logged() == ["error: the old certificates stay: \(place).pem: has expired"])
        #expect(certificates.server.certificates == before)
    }

    @Test func `an expired one in two places is refused`() throws {
        try put("a", days: -1)
        try put("b", days: 40)
        let certificates = try certificates()
        _ = logged()
        for part in ["pem", "key"] {
            #expect(unlink(folder.file("b.\(part)")) == 0)
            #expect(link(folder.file("a.\(part)"), folder.file("b.\(part)")) == 0)
        }
        certificates.reload()
        #expect(logged() == ["error: the old certificates stay: b.pem: has expired"])
    }

    @Test func `what expires soon is told once a day`() throws {
        try put("a", days: 20)
        try put("b", days: 90)
        let certificates = try certificates()
        func lookAt(_ day: Double) -> [String] {
            clock.withLock { $0 = day }
            certificates.look()
            return logged()
        }
        #expect(logged() == [])
        #expect(lookAt(0.5) == [] && lookAt(3) == [])
        // The certificate was made within the second that the clock began with, or the next.
        #expect(lookAt(7.5) == ["warning: a.pem: expires in 12 days"])
        #expect(lookAt(7.6) == [] && lookAt(8.4) == [])
        #expect(lookAt(8.5) == ["warning: a.pem: expires in 11 days"])
        #expect(lookAt(20.5) == ["warning: a.pem: has expired"])
        #expect(lookAt(21) == [])
        // The clock was set back.
        #expect(lookAt(19.5) == ["warning: a.pem: expires in 0 days"])
        try put("a", days: 90)
        certificates.reload()
        #expect(logged() == ["took the new certificates"])
        #expect(lookAt(22) == [])
    }
}
