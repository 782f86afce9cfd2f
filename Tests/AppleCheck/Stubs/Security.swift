// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

public import Foundation

// Without Objective-C there is no bridging: `[CFString: Any] as CFDictionary` and
// `CFTypeRef as? Data` are casts between a type and itself here.
public typealias CFTypeRef = Any
public typealias CFDictionary = [CFString: Any]
public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFError = any Error
public typealias OSStatus = Int32

public struct CFString: Hashable, Sendable {}

public let kSecClass = CFString()
public let kSecClassGenericPassword = CFString()
public let kSecAttrService = CFString()
public let kSecAttrAccount = CFString()
public let kSecAttrAccessGroup = CFString()
public let kSecAttrAccessible = CFString()
public let kSecAttrAccessibleAfterFirstUnlock = CFString()
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = CFString()
public let kSecReturnData = CFString()
public let kSecValueData = CFString()
public let kSecMatchLimit = CFString()
public let kSecMatchLimitOne = CFString()
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
public let kSecUseDataProtectionKeychain = CFString()

public var errSecSuccess: OSStatus { 0 }
public var errSecNotAvailable: OSStatus { -25291 }
public var errSecAuthFailed: OSStatus { -25293 }
public var errSecDuplicateItem: OSStatus { -25299 }
public var errSecItemNotFound: OSStatus { -25300 }
public var errSecInteractionNotAllowed: OSStatus { -25308 }
public var errSecMissingEntitlement: OSStatus { -34018 }

public func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { 0 }
public func SecItemAdd(
    _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    0
}
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }

// Apple's is documented so.
public final class SecTrust: @unchecked Sendable {}

// Apple's is documented so.
public final class SecCertificate: @unchecked Sendable {}

public func SecTrustEvaluateWithError(
    _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data() }

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { self.init() }
}
