import Glibc

/// A failed system call: the one place where `errno` becomes an error.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the call: `bind`.
    public let call: String
    /// `errno`.
    public let code: Int32

    public init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The error of the call that just returned -1.
    package static func last(_ call: String) -> SystemError { SystemError(call, code: errno) }

    public var description: String { "\(call): \(reason)" }

    /// The system's error message without the name of the call (`strerror(3)`).
    package var reason: String { String(cString: strerror(code)) }

    /// Another process is listening on the address.
    public var isAddressInUse: Bool { code == EADDRINUSE }

    /// True if an address could not be bound because no interface has it.
    public var isAddressMissing: Bool { code == EADDRNOTAVAIL }

    /// True if this process lacks a permission.
    public var isForbidden: Bool { code == EACCES || code == EPERM }

    /// True if descriptors or memory are temporarily exhausted (`accept(2)`).
    package var isShortage: Bool {
        code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM
    }

    /// True if the error concerns one pending connection, which was aborted or is not permitted,
    /// and not the listening socket: the next connection may be accepted (`accept(2)`).
    package var isOfConnection: Bool {
        switch code {
        case ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH,
            EOPNOTSUPP, ENETUNREACH, ETIMEDOUT:
            true
        default: false
        }
    }
}

/// Repeats a call while signals interrupt it.
/// - Returns: The result of the call.
/// - Throws: The error in `errno` if it returned -1.
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
