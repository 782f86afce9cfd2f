import Glibc

extension SocketChannel {
    /// Waits until the connection is established.
    ///
    /// - Throws: Also `disconnected` with the error code of `connect(2)`.
    public func waitConnected(until deadline: Int64) async throws(ChannelError) {
        while true {
            try check()
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { throw fail(.disconnected(code: code)) }
            isWritable = hasPeer
            if isWritable { return }
            try await waitWritable(until: deadline)
        }
    }

    private var hasPeer: Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                getpeername(descriptor, pointer, &length) == 0
            }
        }
    }
}
