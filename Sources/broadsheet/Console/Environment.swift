import ArticleAPI
import BroadsheetPlatform
import Glibc

/// The process's environment and arguments.
enum Environment {
    /// The arguments, of which the first is the program's name.
    ///
    /// `CommandLine` searches for them in memory, before `environ`. They are not there once a
    /// library that was loaded before the program has moved that by `setenv(3)`.
    static let arguments: [String] = {
        guard let bytes = try? Files.read("/proc/self/cmdline"), bytes.last == 0 else {
            return CommandLine.arguments
        }
        return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }()

    /// The variables whose name satisfies the predicate, as `NAME=value`.
    static func all(where isIncluded: (String) -> Bool) -> [String] {
        var variables: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if isIncluded(String(text.prefix { $0 != "=" })) { variables.append(text) }
            next += 1
        }
        return variables
    }

    /// The variables whose name begins with `BROADSHEET_`.
    static var current: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if text.hasPrefix("BROADSHEET_"), let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return variables
    }

    /// The value of a variable (`getenv(3)`); `nil` if it is unset or empty.
    static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The exit status of the command (sysexits.h).
enum ExitStatus: Int32 {
    case ok = 0
    /// A second signal ended the command at once, with work in flight.
    case cutShort = 1
    /// The command line is wrong (EX_USAGE).
    case usage = 64
    /// Input data is wrong (EX_DATAERR).
    case dataError = 65
    /// An input file does not exist or cannot be read (EX_NOINPUT).
    case noInput = 66
    /// Something is in use or currently unavailable (EX_UNAVAILABLE).
    case unavailable = 69
    /// A defect of this program (EX_SOFTWARE).
    case software = 70
    /// A system call failed, for a socket or a descriptor (EX_OSERR).
    case systemError = 71
    /// An output file cannot be created (EX_CANTCREAT).
    case cannotCreate = 73
    /// Reading or writing failed (EX_IOERR).
    case ioError = 74
    /// The peer sent an invalid response (EX_PROTOCOL).
    case protocolError = 76
    /// No permission (EX_NOPERM).
    case noPermission = 77
    /// The configuration is wrong (EX_CONFIG).
    case configuration = 78
}

/// The failure of a command: one line on stderr, and an exit status.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}

extension Timestamp {
    /// The wall clock, in whole milliseconds.
    static var now: Timestamp {
        Timestamp(milliseconds: SystemClock.wallNanoseconds / 1_000_000)
    }
}

/// The version of this program.
enum Version {
    /// CHANGELOG.md lists the changes of each version. A test names the other places that have to
    /// change with it.
    static let number = "0.2.0"
    static let text = "broadsheet \(number)"
}
