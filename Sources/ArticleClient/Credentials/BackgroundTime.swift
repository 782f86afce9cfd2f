#if canImport(FoundationEssentials)
#else
    import Dispatch
    import Foundation
#endif

/// Time in which the system does not suspend the app, although it is in the background.
enum BackgroundTime {
    /// Does the work with such time, if the system grants it; elsewhere without it.
    ///
    /// - Parameter reason: a text for the system's logs.
    static func during<Value>(_ reason: String, _ work: () async -> Value) async -> Value {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            let end = DispatchSemaphore(value: 0)
            // The time lasts while the block waits, on a thread of the system. When it runs out,
            // the block is also called on another thread.
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
                if isExpired { end.signal() } else { end.wait() }
            }
            defer { end.signal() }
        #endif
        return await work()
    }
}
