import BroadsheetCommandLine
import BroadsheetSockets
import Glibc

/// The files of the served certificates and their keys.
struct CertificateFiles: Sendable {
    struct Paths: Sendable, Hashable {
        let certificate: String
        let key: String
    }

    let paths: [Paths]
    private static let limitBytes = 1 << 20

    /// Identifies one state of a file (`stat(2)`, which follows links).
    struct Stamp: Sendable, Hashable {
        let device: UInt64
        let number: UInt64
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64

        /// `nil` if there is no such file.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            number = UInt64(status.st_ino)
            size = Int64(status.st_size)
            seconds = Int64(status.st_mtim.tv_sec)
            nanoseconds = Int64(status.st_mtim.tv_nsec)
        }
    }

    /// The current state of all files.
    func stamps() -> [Stamp?] { paths.flatMap { [Stamp($0.certificate), Stamp($0.key)] } }

    /// Reads all files.
    func read() throws(CommandFailure) -> [CertificateAndKey] {
        var pairs: [CertificateAndKey] = []
        for paths in paths {
            pairs.append(
                CertificateAndKey(
                    certificate: try Files.read(paths.certificate, limitBytes: Self.limitBytes),
                    key: try Files.read(paths.key, limitBytes: Self.limitBytes)))
        }
        return pairs
    }

    /// The error as a failure that names the invalid file.
    func failure(_ error: TLSConfigurationError) -> CommandFailure {
        guard let place = error.place, paths.indices.contains(place.pair) else {
            return CommandFailure(.configuration, error.reason)
        }
        let pair = paths[place.pair]
        let path = place.part == .certificate ? pair.certificate : pair.key
        return CommandFailure(.configuration, "\(path): \(error.reason)")
    }
}
