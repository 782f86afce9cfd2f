// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

public typealias mode_t = UInt16
public typealias uid_t = UInt32
public typealias off_t = Int64

public struct os_unfair_lock_s {
    public init() {}
}
public func os_unfair_lock_lock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) {}
public func os_unfair_lock_unlock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) {}

public struct stat {
    public var st_dev: Int32 = 0
    public var st_ino: UInt64 = 0
    public var st_mode: mode_t = 0
    public var st_nlink: UInt16 = 0
    public var st_uid: uid_t = 0
    public var st_size: off_t = 0

    public init() {}
}

public var O_RDONLY: Int32 { 0 }
public var O_WRONLY: Int32 { 0 }
public var O_RDWR: Int32 { 0 }
public var O_CREAT: Int32 { 0 }
public var O_EXCL: Int32 { 0 }
public var O_CLOEXEC: Int32 { 0 }
public var O_NOFOLLOW: Int32 { 0 }
public var O_NONBLOCK: Int32 { 0 }
public var S_IFMT: mode_t { 0 }
public var S_IFREG: mode_t { 0 }
public var EEXIST: Int32 { 0 }
public var ENOENT: Int32 { 0 }
public var EINTR: Int32 { 0 }
public var errno: Int32 {
    get { 0 }
    set {}
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
@discardableResult public func close(_ file: Int32) -> Int32 { 0 }
@discardableResult
public func fstat(_ file: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { 0 }
@discardableResult
public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 {
    0
}
@discardableResult
public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { 0 }
@discardableResult
public func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int { 0 }
@discardableResult
public func write(_ file: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int { 0 }
public var LOCK_EX: Int32 { 0 }
public func flock(_ file: Int32, _ operation: Int32) -> Int32 { 0 }
public func ftruncate(_ file: Int32, _ length: off_t) -> Int32 { 0 }
@discardableResult public func fsync(_ file: Int32) -> Int32 { 0 }
@discardableResult
public func rename(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 { 0 }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { 0 }
public func getpid() -> Int32 { 0 }
public func geteuid() -> uid_t { 0 }
public func getuid() -> uid_t { 0 }
public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar>! { nil }
public func exit(_ status: Int32) -> Never { while true {} }
