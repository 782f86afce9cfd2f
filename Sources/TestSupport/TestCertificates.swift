public import Sockets

/// Certificates generated for tests.
public struct TestCertificates: Sendable {
    /// The issuer of the others.
    public let authority: NewCertificate

    public init() throws { try self.init("authority.test", signedBy: nil) }

    /// An authority issued by another one.
    public init(below root: TestCertificates) throws {
        try self.init("between.test", signedBy: root.authority)
    }

    private init(_ name: String, signedBy issuer: NewCertificate?) throws {
        var claims = NewCertificate.Claims([name], days: 30)
        claims.isAuthority = true
        authority = try NewCertificate(claims, signedBy: issuer)
    }

    /// A certificate of the authority, with its key.
    public func pair(
        _ names: [String], rsa usesRSA: Bool = false, days: Int = 30, startsInDays: Int = 0
    ) throws -> CertificateAndKey {
        var claims = NewCertificate.Claims(names, days: days)
        claims.usesRSA = usesRSA
        claims.start += startsInDays * 86_400
        return CertificateAndKey(try NewCertificate(claims, signedBy: authority))
    }

    /// A certificate with its name only in the subject, as was once customary.
    public func pair(namedBySubject name: String) throws -> CertificateAndKey {
        var claims = NewCertificate.Claims([name], days: 30)
        claims.hasAlternativeNames = false
        return CertificateAndKey(try NewCertificate(claims, signedBy: authority))
    }
}

extension CertificateAndKey {
    public init(_ new: NewCertificate) {
        self.init(certificate: Array(new.certificatePEM.utf8), key: Array(new.keyPEM.utf8))
    }
}
