import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// Creates a certificate for local use.
struct CertificateCommand: Command {
    static let name = "certificate"
    static let summary = "Creates a self-signed certificate for local use."
    static let usage = "--self-signed NAME [options]"
    static let example = "broadsheet certificate --self-signed localhost"
    static let options = [
        Option(
            "self-signed", "NAME", "DNS name or IP address that the certificate is for.",
            repeatable: true),
        Option("days", "N", "Validity of the certificate in days, 1 to 825.", default: "90"),
        Option(
            "out", "PATH", "Path prefix: writes PATH.pem and PATH.key.", default: "the first NAME"),
        CommonOptions.config,
    ]

    let names: [String]
    let days: Int
    let path: String

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        names = settings.all("self-signed").map(\.text)
        guard let first = names.first else {
            throw CommandFailure(
                .usage, "missing --self-signed NAME: the name that the certificate is for")
        }
        days = try settings.integer("days", in: 1...825, default: 90)
        path = settings.text("out") ?? first.replacing("*", with: "_").replacing("/", with: "_")
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        for file in ["\(path).pem", "\(path).key"] where CertificateFiles.Stamp(file) != nil {
            throw CommandFailure(.cannotCreate, "\(file) already exists")
        }
        let new: SelfSignedCertificate
        do throws(SelfSignedCertificate.Failure) {
            new = try .selfSigned(names, days: days)
        } catch {
            if case .badName = error { throw CommandFailure(.usage, "--self-signed: \(error)") }
            throw CommandFailure(.software, "\(error)")
        }
        try Files.writePrivate(new.keyPEM, to: "\(path).key")
        do throws(CommandFailure) {
            try Files.writePrivate(new.certificatePEM, to: "\(path).pem")
        } catch {
            // A key without its certificate is useless and would block the next attempt.
            unlink("\(path).key")
            throw error
        }
        try Console.print("created \(path).pem and \(path).key, valid for \(days.counted("day"))")
    }
}
