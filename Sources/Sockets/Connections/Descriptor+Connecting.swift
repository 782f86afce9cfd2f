import Glibc
public import Platform

extension Descriptor {
    /// A socket that starts to connect (`connect(2)`); `waitConnected` of a channel completes it.
    public static func connecting(
        to address: SocketAddress
    ) throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Descriptor(try retrying("socket") { socket(address.family, type, 0) })
        if case .unix = address {
        } else {
            var one: Int32 = 1
            setsockopt(
                descriptor.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &one,
                socklen_t(MemoryLayout<Int32>.size))
        }
        let result = address.withSockaddr { connect(descriptor.raw, $0, $1) }
        // When interrupted, it continues in the background.
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw .last("connect")
        }
        return descriptor
    }
}
