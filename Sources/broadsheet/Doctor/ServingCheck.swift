import HTTP
import HTTPServer
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What `serve` would need: certificates, addresses, descriptors.
struct ServingCheck {
    let configuration: ServeConfiguration
    let isServed: Bool
    /// Seconds since 1970.
    let now: Int64

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
                server = try TLSServer(pairs, profile: transport.profile, protocols: [])
            } catch { throw files.failure(error) }
            for (certificate, paths) in zip(server.certificates, files.paths) {
                examine(certificate.validity, of: paths.certificate, &findings)
            }
        } catch {
            findings.failure(subject, error.message, do: Self.advice(error))
        }
    }

    /// What to do about files that cannot be served.
    static func advice(_ failure: CommandFailure) -> String {
        failure.status == .noPermission
            ? "let the user who serves read it: mode 640, with a group of those who may read keys"
            : "put the certificate, with its chain, and its own key into these files, as PEM"
    }

    private func examine(
        _ dates: ClosedRange<Int64>, of path: String, _ findings: inout Diagnostics
    ) {
        let subject = "certificates"
        let advice = "renew it into the same files: a server takes it by itself"
        let end = HTTPDate.text(dates.upperBound)
        if now < dates.lowerBound {
            findings.failure(
                subject, "\(path) is not valid before \(HTTPDate.text(dates.lowerBound))",
                do: "set the clock, or wait with it")
        } else if dates.upperBound < now {
            findings.failure(subject, "\(path) has expired, \(end)", do: advice)
        } else if dates.upperBound - now < Certificates.warningDays * 86_400 {
            findings.warning(subject, "\(path) expires soon, \(end)", do: advice)
        } else {
            findings.ok(subject, "\(path) fits its key and is valid until \(end)")
        }
    }

    private func withoutTLS(_ findings: inout Diagnostics) {
        let open = configuration.addresses.filter { !$0.isLoopback }
        guard let first = open.first, configuration.transport.trustedProxies.isEmpty else {
            return findings.ok("certificates", "none: it serves plain HTTP")
        }
        findings.warning(
            "certificates",
            "none, and \(first) takes requests from other machines: their keys are refused",
            do: "give --tls-certificate and --tls-key, or name the --trusted-proxy in front")
    }

    // MARK: Addresses

    private func addresses(_ findings: inout Diagnostics) {
        let subject = "addresses"
        for address in configuration.adminAddresses where !address.isLoopback {
            findings.warning(
                subject, "whoever reaches \(address) reads the metrics",
                do: "let --admin-listen be an address of the operator's network alone")
        }
        guard !isServed else {
            if !findings.hasFault(subject) { findings.ok(subject, "not tried: it is being served") }
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
                        ? "take a port from 1024 on, or allow this one to the program"
                        : "end what listens there, or choose another --listen")
            }
        }
        if !findings.hasFault(subject) {
            findings.ok(subject, all.map(\.description).joined(separator: ", ") + " can be had")
        }
    }

    // MARK: Descriptors

    private func descriptors(_ findings: inout Diagnostics) {
        let limit = DescriptorLimit.raise()
        let wanted = configuration.maximumConnections
        let possible = max(0, limit - ServerConfiguration.reservedDescriptors)
        guard possible < wanted else {
            return findings.ok("descriptors", "\(limit) may be open, enough for \(wanted) clients")
        }
        findings.warning(
            "descriptors", "\(limit) may be open: that is \(possible) clients, not \(wanted)",
            do: "raise the limit (LimitNOFILE=, ulimit -n), or lower --max-connections")
    }
}
