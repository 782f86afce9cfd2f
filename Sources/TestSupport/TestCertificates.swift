public import Sockets

/// Certificates for tests, made on the spot.
public struct TestCertificates: Sendable {
    /// Vouches for the others.
    public let authority: NewCertificate

    public init() throws { try self.init("authority.test", signedBy: nil) }

    /// An authority that another one vouches for.
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

    /// A certificate that has its name in its subject alone, as was the custom once.
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
