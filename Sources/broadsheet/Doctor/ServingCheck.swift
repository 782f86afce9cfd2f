import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// Checks the requirements of `serve`: certificates, addresses and descriptors.
struct ServingCheck {
    let configuration: ServeConfiguration
    let isServed: Bool
    let system: SystemEnvironment
    /// Seconds since 1970.
    private var now: Int64 { system.wallNanoseconds() / 1_000_000_000 }

    func run(_ findings: inout Diagnostics) {
        certificates(&findings)
        addresses(&findings)
        descriptors(&findings)
    }

    // MARK: Certificates

    private func certificates(_ findings: inout Diagnostics) {
        let subject = "certificates"
        let transport = configuration.transport
        guard !transport.certificates.isEmpty else { return withoutTLS(&findings) }
        let files = CertificateFiles(paths: transport.certificates)
        do throws(CommandFailure) {
            let pairs = try files.read()
            let server: TLSServer
            do throws(TLSConfigurationError) {
                server = try TLSServer(
                    pairs, profile: transport.profile, protocols: [], system: system)
            } catch { throw files.failure(error) }
            for (certificate, paths) in zip(server.certificates, files.paths) {
                check(certificate.validity, of: paths.certificate, &findings)
            }
        } catch {
            findings.failure(subject, error.message, do: Self.advice(error))
        }
    }

    /// Returns the remedy for certificate files that cannot be used.
    static func advice(_ failure: CommandFailure) -> String {
        failure.status == .noPermission
            ? "let the user who runs the server read it: mode 640, with a group that may read keys"
            : "put the certificate with its chain and the matching key into these files, as PEM"
    }

    private func check(
        _ dates: ClosedRange<Int64>, of path: String, _ findings: inout Diagnostics
    ) {
        let subject = "certificates"
        let advice = "renew it in the same files; a running server reloads them by itself"
        let end = HTTPDate.text(dates.upperBound)
        if now < dates.lowerBound {
            findings.failure(
                subject, "\(path) is not valid before \(HTTPDate.text(dates.lowerBound))",
                do: "set the clock, or wait until then")
        } else if dates.upperBound < now {
            findings.failure(subject, "\(path) has expired on \(end)", do: advice)
        } else if dates.upperBound - now < Certificates.warningDays * 86_400 {
            findings.warning(subject, "\(path) expires soon, on \(end)", do: advice)
        } else {
            findings.ok(subject, "\(path) matches its key and is valid until \(end)")
        }
    }

    private func withoutTLS(_ findings: inout Diagnostics) {
        let open = configuration.addresses.filter { !$0.isLoopback }
        guard let first = open.first, configuration.transport.trustedProxies.isEmpty else {
            return findings.ok("certificates", "none: the server uses plain HTTP")
        }
        findings.warning(
            "certificates",
            "none, but \(first) accepts requests from other machines: their keys are rejected",
            do: "set --tls-certificate and --tls-key, or name a proxy with --trusted-proxy")
    }

    // MARK: Addresses

    private func addresses(_ findings: inout Diagnostics) {
        let subject = "addresses"
        for address in configuration.adminAddresses where !address.isLoopback {
            findings.warning(
                subject, "anyone who can reach \(address) can read the metrics",
                do: "use a private address for --admin-listen")
        }
        guard !isServed else {
            if !findings.hasFault(subject) {
                findings.ok(subject, "not checked: the server is running")
            }
            return
        }
        let all =
            configuration.addresses + configuration.transport.proxied
            + configuration.adminAddresses + configuration.transport.redirects
        for address in all {
            do throws(SystemError) {
                try address.tryListening()
            } catch {
                findings.failure(
                    subject, "\(address): \(error)",
                    do: error.code == EACCES
                        ? "use a port from 1024 on, or grant CAP_NET_BIND_SERVICE"
                        : "stop the program that listens there, or choose another address")
            }
        }
        if !findings.hasFault(subject) {
            findings.ok(
                subject, "available: " + all.map(\.description).joined(separator: ", "))
        }
    }

    // MARK: Descriptors

    private func descriptors(_ findings: inout Diagnostics) {
        let limit = DescriptorLimit.raise()
        let configured = configuration.limitConnections
        let possible = max(0, limit - ServerConfiguration.reservedDescriptors)
        guard possible < configured else {
            return findings.ok(
                "descriptors", "\(limit) may be open, enough for \(configured) clients")
        }
        findings.warning(
            "descriptors",
            "\(limit) may be open, enough for \(possible) clients, not \(configured)",
            do: "raise the limit (LimitNOFILE=, ulimit -n), or lower --max-connections")
    }
}
