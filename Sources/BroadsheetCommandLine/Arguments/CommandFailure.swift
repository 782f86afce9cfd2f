/// The exit status of the command (sysexits.h).
package enum ExitStatus: Int32 {
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
package struct CommandFailure: Error {
    package let status: ExitStatus
    package let message: String

    package init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}
