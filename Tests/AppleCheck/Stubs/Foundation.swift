@_exported import Darwin
@_exported import Dispatch

// MARK: Values

public struct Date: Sendable, Hashable {
    public init() {}
    public init(timeIntervalSince1970: Double) {}
    public var timeIntervalSince1970: Double { 0 }
}

public struct TimeZone: Sendable, Hashable {
    public static var current: TimeZone { TimeZone() }
    public func secondsFromGMT(for date: Date = Date()) -> Int { 0 }
}

public struct Data: Sendable, Hashable, RandomAccessCollection, RangeReplaceableCollection {
    public init() {}
    public init<RawBody: Sequence>(_ bytes: RawBody) where RawBody.Element == UInt8 {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(position: Int) -> UInt8 { 0 }

    public struct Base64DecodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    public struct Base64EncodingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    public init?(base64Encoded: String, options: Base64DecodingOptions = []) { nil }
    public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }

    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = WritingOptions(rawValue: 1)
    }

    public func write(to url: URL, options: WritingOptions = []) throws {}
    public mutating func replaceSubrange<Bytes: Collection>(
        _ range: Range<Int>, with bytes: Bytes
    ) where Bytes.Element == UInt8 {}
}

public struct IndexPath: Sendable, Hashable {
    public init() {}
}

public struct IndexSet: Sendable, Hashable, ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Int...) {}
}

public struct UUID: Sendable, Hashable {
    public init() {}
    public init?(uuidString: String) { nil }
    public init(uuid: uuid_t) {}
    public var uuidString: String { "" }
    public var uuid: uuid_t { (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
}

// The name is that of C.
// swift-format-ignore: TypeNamesShouldBeCapitalized
public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

public struct URL: Sendable, Hashable {
    public init?(string: String) { nil }
    public init?(string: String, relativeTo: URL?) { nil }
    public init(filePath: String) {}
    public func resolvingSymlinksInPath() -> URL { self }
    public func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues {
        URLResourceValues()
    }
    public var absoluteURL: URL { self }
    public var absoluteString: String { "" }
    public var relativeString: String { "" }
    public var host: String? { nil }
}

public struct URLResourceKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let isRegularFileKey = URLResourceKey(rawValue: "NSURLIsRegularFileKey")
}

public struct URLResourceValues {
    public init() {}
    public var isRegularFile: Bool? { nil }
    public var isExcludedFromBackup: Bool?
}

public struct URLComponents: Sendable, Hashable {
    public init?(url: URL, resolvingAgainstBaseURL: Bool) { nil }
    public var scheme: String?
    public var percentEncodedHost: String?
    public var port: Int?
    public var percentEncodedPath: String
    public var percentEncodedQuery: String?
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}

extension Error {
    public var localizedDescription: String { "" }
}

// MARK: Objects

public final class Bundle: Sendable {
    public static let main = Bundle()
    public let preferredLocalizations: [String] = []
    public func object(forInfoDictionaryKey key: String) -> Any? { nil }
}

public protocol NSObjectProtocol: AnyObject {}

open class NSObject: NSObjectProtocol {
    public init() {}
}

// Apple's is documented so.
open class OperationQueue: NSObject, @unchecked Sendable {
    open var underlyingQueue: DispatchQueue?
}

// Apple's is documented so.
open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { ProcessInfo() }
    open var environment: [String: String] { [:] }
    @available(macOS, unavailable)
    open func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) {}
}

// Apple's is documented so.
open class FileHandle: NSObject, @unchecked Sendable {
    public convenience init(forReadingFrom url: URL) throws { self.init() }
    public convenience init(forWritingTo url: URL) throws { self.init() }
    open class var standardInput: FileHandle { FileHandle() }
    open class var standardOutput: FileHandle { FileHandle() }
    open class var standardError: FileHandle { FileHandle() }
    public func read(upToCount count: Int) throws -> Data? { nil }
    public func write<Bytes: Sequence>(contentsOf data: Bytes) throws
    where Bytes.Element == UInt8 {}
    public func close() throws {}
}

// MARK: URLSession

public struct URLRequest: Sendable, Hashable {
    public init(url: URL) {}
    public var httpMethod: String?
    public var httpBody: Data?
    public var timeoutInterval: Double = 0
    public var httpShouldHandleCookies = false
    public var allowsConstrainedNetworkAccess = true
    public var allowsExpensiveNetworkAccess = true
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

public enum NSURLRequest {
    public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
    }
}

// Apple's is documented so.
open class URLResponse: NSObject, @unchecked Sendable {
    public var expectedContentLength: Int64 { 0 }
    public var url: URL? { nil }
}

// Apple's is documented so.
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public var statusCode: Int { 0 }
    public var allHeaderFields: [AnyHashable: Any] { [:] }
    public func value(forHTTPHeaderField field: String) -> String? { nil }
}

public struct URLError: Error, Hashable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let cancelled = Code(rawValue: -999)
        public static let timedOut = Code(rawValue: -1001)
        public static let unsupportedURL = Code(rawValue: -1002)
        public static let cannotFindHost = Code(rawValue: -1003)
        public static let cannotConnectToHost = Code(rawValue: -1004)
        public static let networkConnectionLost = Code(rawValue: -1005)
        public static let dnsLookupFailed = Code(rawValue: -1006)
        public static let notConnectedToInternet = Code(rawValue: -1009)
        public static let badServerResponse = Code(rawValue: -1011)
        public static let cannotDecodeRawData = Code(rawValue: -1015)
        public static let cannotDecodeContentData = Code(rawValue: -1016)
        public static let cannotParseResponse = Code(rawValue: -1017)
        public static let internationalRoamingOff = Code(rawValue: -1018)
        public static let callIsActive = Code(rawValue: -1019)
        public static let dataNotAllowed = Code(rawValue: -1020)
        public static let appTransportSecurityRequiresSecureConnection = Code(rawValue: -1022)
        public static let dataLengthExceedsMaximum = Code(rawValue: -1103)
        public static let secureConnectionFailed = Code(rawValue: -1200)
        public static let serverCertificateHasBadDate = Code(rawValue: -1201)
        public static let serverCertificateUntrusted = Code(rawValue: -1202)
        public static let serverCertificateHasUnknownRoot = Code(rawValue: -1203)
        public static let serverCertificateNotYetValid = Code(rawValue: -1204)
        public static let clientCertificateRejected = Code(rawValue: -1205)
        public static let clientCertificateRequired = Code(rawValue: -1206)
    }

    public init(_ code: Code) { self.code = code }

    public let code: Code
}

// Apple's is documented so.
open class URLCache: NSObject, @unchecked Sendable {}
// Apple's is documented so.
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
// Apple's is documented so.
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
// Apple's is documented so.
open class URLCredential: NSObject, @unchecked Sendable {}

open class URLProtectionSpace: NSObject {
    public var authenticationMethod: String { "" }
    public var host: String { "" }
}

open class URLAuthenticationChallenge: NSObject {
    public var protectionSpace: URLProtectionSpace { URLProtectionSpace() }
    public var previousFailureCount: Int { 0 }
}

// Apple's is documented so.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {}

// Apple's is documented so.
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }
    open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
    open func copy() -> Any { self }
    open var identifier: String? { nil }
    open var urlCache: URLCache?
    open var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
    open var httpCookieStorage: HTTPCookieStorage?
    open var httpShouldSetCookies = true
    open var urlCredentialStorage: URLCredentialStorage?
    open var httpMaximumConnectionsPerHost = 6
    open var waitsForConnectivity = false
    open var allowsConstrainedNetworkAccess = true
    open var allowsExpensiveNetworkAccess = true
}

// Apple's is documented so.
open class URLSessionTask: NSObject, @unchecked Sendable {
    open var taskIdentifier: Int { 0 }
    open var response: URLResponse? { nil }
    open func cancel() {}
    open func suspend() {}
    open func resume() {}
}

// Apple's is documented so.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

// Apple's is documented so.
open class URLSession: NSObject, @unchecked Sendable {
    public enum ResponseDisposition: Int, Sendable {
        case cancel = 0
        case allow = 1
        case becomeDownload = 2
        case becomeStream = 3
    }

    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential = 0
        case performDefaultHandling = 1
        case cancelAuthenticationChallenge = 2
        case rejectProtectionSpace = 3
    }

    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?
    ) {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
    open func invalidateAndCancel() {}
    open func finishTasksAndInvalidate() {}
}

// Apple's requirements are optional, which default implementations model.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64)
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDelegate {
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {}
}

extension URLSessionTaskDelegate {
    public func urlSession(
        _ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {}
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {}
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {}
}
