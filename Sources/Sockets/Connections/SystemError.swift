#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A system call that failed: the one place where `errno` becomes an error.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call's name: `bind`.
    public let call: String
    /// `errno`.
    public let code: Int32

    public init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The failure of the call that just returned -1.
    package static func last(_ call: String) -> SystemError { SystemError(call, code: errno) }

    public var description: String { "\(call): \(String(cString: strerror(code)))" }

    /// Another process listens on the address.
    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// Whether it only means that descriptors or memory are short for now (`accept(2)`).
    var isShortage: Bool {
        code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM
    }

    /// Whether it concerns a connection that broke off while it waited, or that may not come in,
    /// and not the socket where it waited: the next one may be accepted (`accept(2)`).
    var isOfConnection: Bool {
        switch code {
        case ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH,
            EOPNOTSUPP, ENETUNREACH, ETIMEDOUT:
            true
        default: false
        }
    }
}

/// Runs a call again while signals interrupt it.
/// - Returns: what the call gave.
/// - Throws: what `errno` says when it gave -1.
@inline(__always)
package func retrying<Value: FixedWidthInteger & SignedInteger>(
    _ call: String, _ body: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = body()
        if value != -1 { return value }
        guard errno == EINTR else { throw .last(call) }
    }
}
