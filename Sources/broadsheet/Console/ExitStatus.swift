/// What the command tells the shell (sysexits.h).
enum ExitStatus: Int32 {
    case ok = 0
    /// Ended at once by a second signal, with work in flight.
    case cutShort = 1
    /// The command line is wrong (EX_USAGE).
    case usage = 64
    /// Input data is wrong (EX_DATAERR).
    case dataError = 65
    /// An input file is not there or cannot be read (EX_NOINPUT).
    case noInput = 66
    /// Something is in use or not to be had now (EX_UNAVAILABLE).
    case unavailable = 69
    /// A defect of this program (EX_SOFTWARE).
    case software = 70
    /// The system refused something: a socket, a descriptor (EX_OSERR).
    case systemError = 71
    /// An output file cannot be made (EX_CANTCREAT).
    case cannotCreate = 73
    /// Reading or writing failed (EX_IOERR).
    case ioError = 74
    /// The other side answered what cannot be (EX_PROTOCOL).
    case protocolError = 76
    /// No permission (EX_NOPERM).
    case noPermission = 77
    /// The configuration is wrong (EX_CONFIG).
    case configuration = 78
}

/// Why a command ended without doing what it was asked: one line on stderr, and a status.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}
