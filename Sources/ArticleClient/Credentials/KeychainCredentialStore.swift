import ArticleAPI

#if canImport(Security)
    import Security

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Stores credentials in the data protection keychain: readable after the first unlock, on this
    /// device only, and never part of a backup.
    ///
    /// On macOS this keychain is only available to signed apps. A command-line tool without
    /// entitlements gets `.notEntitled` and should use a `FileCredentialStore`. Its methods block.
    ///
    /// ```swift
    /// let store = KeychainCredentialStore(
    ///     service: "org.example.reader", baseURL: backend.baseURL,
    ///     accessGroup: "ABCDE12345.org.example.shared")
    /// ```
    public struct KeychainCredentialStore: CredentialStore {
        private let store: KeychainItemStore<SecurityItem>

        /// - Parameters:
        ///   - service: the app's bundle identifier.
        ///   - baseURL: the backend's base URL; each backend has its own credentials.
        ///   - accessGroup: the group of extensions and apps that share the credentials;
        ///     `nil` for the app's own group.
        public init(service: String, baseURL: BaseURL, accessGroup: String? = nil) {
            self.init(service: service, account: baseURL.description, accessGroup: accessGroup)
        }

        /// - Parameter account: distinguishes several credentials of the same app.
        public init(service: String, account: String, accessGroup: String? = nil) {
            store = KeychainItemStore(
                item: SecurityItem(service: service, account: account, accessGroup: accessGroup))
        }

        public func load() throws(CredentialStoreError) -> Credentials? { try store.load() }

        public func save(_ credentials: Credentials) throws(CredentialStoreError) {
            try store.save(credentials)
        }

        public func remove() throws(CredentialStoreError) { try store.remove() }
    }

    /// A generic password.
    private struct SecurityItem: KeychainItem {
        let service: String
        let account: String
        let accessGroup: String?

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service,
                kSecAttrAccount: account, kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        private func value(_ bytes: [UInt8]) -> [CFString: Any] {
            [
                kSecValueData: Data(bytes),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
        }

        func copy() -> (status: Int32, bytes: [UInt8]?) {
            var query = query
            query[kSecReturnData] = true
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            return (status, (result as? Data).map { Array($0) })
        }

        func update(_ bytes: [UInt8]) -> Int32 {
            SecItemUpdate(query as CFDictionary, value(bytes) as CFDictionary)
        }

        func add(_ bytes: [UInt8]) -> Int32 {
            let item = query.merging(value(bytes)) { $1 }
            return SecItemAdd(item as CFDictionary, nil)
        }

        func delete() -> Int32 { SecItemDelete(query as CFDictionary) }
    }
#endif

/// One item of a keychain; its functions return an `OSStatus` (SecBase.h).
protocol KeychainItem: Sendable {
    /// `SecItemCopyMatching`
    func copy() -> (status: Int32, bytes: [UInt8]?)
    /// `SecItemUpdate`
    func update(_ bytes: [UInt8]) -> Int32
    /// `SecItemAdd`
    func add(_ bytes: [UInt8]) -> Int32
    /// `SecItemDelete`
    func delete() -> Int32
}

/// Reads and writes credentials in a keychain item. It is separate from the keychain itself, so
/// that tests can simulate its errors on other platforms.
struct KeychainItemStore<Item: KeychainItem>: Sendable {
    let item: Item

    func load() throws(CredentialStoreError) -> Credentials? {
        let (status, bytes) = item.copy()
        if status == KeychainStatus.itemNotFound { return nil }
        guard status == KeychainStatus.success else { throw KeychainStatus.error(status) }
        do throws(ResponseMapperError) {
            return try Credentials(mapping: bytes ?? [])
        } catch {
            throw CredentialStoreError("The keychain item does not contain credentials.", .damaged)
        }
    }

    func save(_ credentials: Credentials) throws(CredentialStoreError) {
        let bytes = credentials.json()
        var status = item.update(bytes)
        if status == KeychainStatus.itemNotFound {
            status = item.add(bytes)
            // Another process, perhaps an extension of the app, has added it in between.
            if status == KeychainStatus.duplicateItem { status = item.update(bytes) }
        }
        guard status == KeychainStatus.success else { throw KeychainStatus.error(status) }
    }

    func remove() throws(CredentialStoreError) {
        let status = item.delete()
        guard status == KeychainStatus.success || status == KeychainStatus.itemNotFound else {
            throw KeychainStatus.error(status)
        }
    }
}

/// The status codes that are handled specially (SecBase.h).
enum KeychainStatus {
    static let success: Int32 = 0
    static let duplicateItem: Int32 = -25299
    static let itemNotFound: Int32 = -25300
    static let interactionNotAllowed: Int32 = -25308
    static let missingEntitlement: Int32 = -34018

    static func error(_ status: Int32) -> CredentialStoreError {
        switch status {
        case interactionNotAllowed:
            CredentialStoreError(
                "The keychain cannot be read before the device is unlocked (\(status)).", .locked)
        case missingEntitlement:
            CredentialStoreError(
                "The app lacks the entitlement for this keychain or access group (\(status)).",
                .notEntitled)
        default: CredentialStoreError("The keychain failed with status \(status).")
        }
    }
}
