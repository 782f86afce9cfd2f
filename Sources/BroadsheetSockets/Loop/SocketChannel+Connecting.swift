public import BroadsheetPlatform
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

/// Work that the channel's task does before it can send a response.
extension SocketChannel {
    /// Starts work, by default without a deadline; `onOverrun` is called if it is not finished by
    /// then. `onBreak` is called if the peer disconnects before that, or already has.
    public func beginWork(until deadline: Int64 = .max) {
        isWorking = true
        workDeadline = deadline
        arm()
        if isBroken { onBreak?(self) }
    }

    /// True if the server has begun to stop or to hand off its connections.
    public var isStopping: Bool { isDraining || isLeaving }

    public func endWork() {
        isWorking = false
        workDeadline = .max
    }

    /// A peer that has shut down its side may still want to read; but if nothing is sent for long,
    /// it shows too late that it does not.
    func noteBreakIfHungUp() {
        if isHungUp, breaksWhenHungUp, !isBroken { noteBreak() }
    }

    /// Called by the loop when the peer has disconnected.
    func noteBreak() {
        isBroken = true
        if isWorking { onBreak?(self) }
    }
}
