import Glibc

extension SocketChannel {
    /// Shuts the socket down for writing (`shutdown(2)`); reading remains possible.
    public func shutdownWrite() {
        if let session { sendEnd(through: session) }
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Resets the connection, so that the peer sees an error (`SO_LINGER` of 0: `RST`).
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }
}
