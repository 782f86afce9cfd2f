import BroadsheetPlatform
import CBroadsheetLinux
import Glibc

/// The access to a Unix socket: the mode and the group of its file.
///
/// ```swift
/// let access = try SocketAccess(parsing: "mode=0660")
/// let socket = try ListeningSocket(.unix(path), access: access)
/// ```
public struct SocketAccess: Sendable, Hashable {
    /// Permission bits; `nil`: according to the umask.
    public var mode: UInt32?
    /// `nil`: the group of the process, or that of a folder with the setgid bit.
    public var group: UInt32?

    /// The reason why text is not a valid access to a socket.
    public enum ParsingError: Error, Sendable, Hashable, CustomStringConvertible {
        case badMode(String)
        case unknownGroup(String)
        /// Neither `mode=` nor `group=`, or twice the same.
        case badParameter(String)

        public var description: String {
            switch self {
            case .badMode(let text): "mode \"\(text)\" is not an octal number from 0 to 0777"
            case .unknownGroup(let name): "there is no group \"\(name)\""
            case .badParameter(let text):
                "\"\(text)\" is not mode=OCTAL or group=NAME, separated by &, each once"
            }
        }
    }

    public init(mode: UInt32? = nil, group: UInt32? = nil) {
        self.mode = mode
        self.group = group
    }

    /// Parses `mode=0660&group=www-data`. A group is known by its name (`getgrnam(3)`) or number.
    public init(parsing text: String) throws(ParsingError) {
        self.init()
        for part in text.split(separator: "&", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard words.count == 2 else { throw .badParameter(String(part)) }
            switch words[0] {
            case "mode" where mode == nil: mode = try Self.mode(words[1])
            case "group" where group == nil: group = try Self.group(words[1])
            default: throw .badParameter(String(part))
            }
        }
    }

    private static func mode(_ text: String) throws(ParsingError) -> UInt32 {
        // Only digits: `UInt32` would also accept a sign.
        guard text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let mode = UInt32(text, radix: 8), mode <= 0o777
        else { throw .badMode(text) }
        return mode
    }

    private static func group(_ name: String) throws(ParsingError) -> UInt32 {
        if let entry = getgrnam(name) { return entry.pointee.gr_gid }
        // The highest number is none: chown(2) would change nothing.
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(name),
            number < UInt32.max
        else { throw .unknownGroup(name) }
        return number
    }

    /// Gives the file of a socket this mode and this group, if they are not its own already.
    ///
    /// - Parameter isOurs: Returns true for the file of the socket: another one may have taken its
    ///   place, which is left alone.
    func apply(toFileAt path: String, _ isOurs: (stat) -> Bool) throws(SystemError) {
        guard self != SocketAccess() else { return }
        let raw = broadsheet_open_place(AT_FDCWD, path, false)
        guard raw >= 0 else {
            if errno == ENOENT { return }
            throw .last("open")
        }
        let place = Descriptor(raw)
        var status = stat()
        guard fstat(place.raw, &status) == 0 else { throw .last("fstat") }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_nlink == 1, isOurs(status) else {
            return
        }
        if let group, group != status.st_gid {
            _ = try retrying("set group \(group)") {
                broadsheet_give_place(place.raw, uid_t.max, group)
            }
        }
        if let mode, mode != status.st_mode & 0o777 {
            // fchmod(2) does not take such a descriptor.
            _ = try retrying("set mode 0\(String(mode, radix: 8))") {
                chmod("/proc/self/fd/\(place.raw)", mode)
            }
        }
    }
}
