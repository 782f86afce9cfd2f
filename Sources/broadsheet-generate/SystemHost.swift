import BroadsheetCommandLine
import BroadsheetHTTP
import Foundation

/// Files, standard streams and the network, by Foundation.
struct SystemHost: GenerationHost {
    func read(_ path: String, limitBytes: Int) throws(CommandFailure) -> [UInt8] {
        let file: FileHandle
        do {
            file = try FileHandle(forReadingFrom: URL(filePath: path))
        } catch { throw Self.unreadable(path, error) }
        defer { try? file.close() }
        return try bytes(of: file, path, limitBytes: limitBytes)
    }

    func readInput(limitBytes: Int) throws(CommandFailure) -> [UInt8] {
        try bytes(of: .standardInput, "standard input", limitBytes: limitBytes)
    }

    private func bytes(
        of file: FileHandle, _ name: String, limitBytes: Int
    ) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            while bytes.count <= limitBytes,
                let part = try file.read(upToCount: limitBytes + 1 - bytes.count), !part.isEmpty
            {
                bytes += part
            }
        } catch { throw Self.unreadable(name, error) }
        guard bytes.count <= limitBytes else {
            throw CommandFailure(.dataError, "\(name) is longer than \(limitBytes) bytes")
        }
        return bytes
    }

    private static func unreadable(_ name: String, _ error: any Error) -> CommandFailure {
        CommandFailure(.noInput, "cannot read \(name): \(error.localizedDescription)")
    }

    func fetch(
        _ target: RequestTarget, from origin: HTTPOrigin, limits: FetchLimits
    ) async throws(CommandFailure) -> FetchedText {
        let text = "\(origin)\(target)"
        guard case .host = origin.endpoint, let url = URL(string: text) else {
            throw CommandFailure(.usage, "\"\(text)\" is not an http or https URL")
        }
        do throws(FetchError) {
            return try await Fetch.text(of: url, limits)
        } catch { throw CommandFailure(.unavailable, "\(text): \(error.reason)") }
    }

    func write(_ text: String, to path: String?) throws(CommandFailure) {
        let data = Data(text.utf8)
        guard let path else {
            do {
                return try FileHandle.standardOutput.write(contentsOf: data)
            } catch {
                throw CommandFailure(.ioError, "cannot write: \(error.localizedDescription)")
            }
        }
        let place = URL(filePath: path).resolvingSymlinksInPath()
        do {
            // Nothing may take the place of a device or a pipe.
            let values = try? place.resourceValues(forKeys: [.isRegularFileKey])
            if values?.isRegularFile == false {
                try FileHandle(forWritingTo: place).write(contentsOf: data)
            } else {
                try data.write(to: place, options: .atomic)
            }
        } catch {
            throw CommandFailure(
                .cannotCreate, "cannot create \(path): \(error.localizedDescription)")
        }
    }

    func report(_ line: String) {
        let line = TerminalText.escapedLine(line) + "\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
}
