import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Makes a certificate for local use.
struct CertificateCommand: Command {
    static let name = "certificate"
    static let summary = "Makes a self-signed certificate for local use."
    static let usage = "--self-signed NAME [options]"
    static let example = "broadsheet certificate --self-signed localhost"
    static let options = [
        Option(
            "self-signed", "NAME", "DNS name or IP address that it is for", repeatable: true),
        Option("days", "N", "how long it is valid", default: "90"),
        Option("out", "PATH", "PATH.pem and PATH.key are made", default: "the first NAME"),
        CommonOptions.config,
    ]

    let names: [String]
    let days: Int
    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
        names = settings.all("self-signed").map(\.text)
        guard let first = names.first else {
            throw CommandFailure(.usage, "--self-signed says what name the certificate is for")
        }
        days = try settings.integer("days", in: 1...825, default: 90)
        path = settings.text("out") ?? first.replacing("*", with: "_").replacing("/", with: "_")
    }

    func run() async throws(CommandFailure) {
        for file in ["\(path).pem", "\(path).key"] where CertificateFiles.Stamp(file) != nil {
            throw CommandFailure(.cannotCreate, "\(file) is there already")
        }
        let new: NewCertificate
        do throws(NewCertificate.Failure) {
            new = try .selfSigned(names, days: days)
        } catch {
            if case .badName = error { throw CommandFailure(.usage, "--self-signed: \(error)") }
            throw CommandFailure(.software, "\(error)")
        }
        try Files.writePrivate(new.keyPEM, to: "\(path).key")
        do throws(CommandFailure) {
            try Files.writePrivate(new.certificatePEM, to: "\(path).pem")
        } catch {
            // A key alone is of no use, and would be in the way of the next attempt.
            unlink("\(path).key")
            throw error
        }
        try Console.print("made \(path).pem and \(path).key, valid for \(days) days")
    }
}
