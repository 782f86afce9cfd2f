#if canImport(Security)
    import ArticleAPI
    import Security

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Keeps credentials in the keychain, readable after the first unlock and on this device only.
    public struct KeychainCredentialStore: CredentialStore {
        private let service: String
        private let account: String

        /// - Parameters:
        ///   - service: names the app: its bundle identifier.
        ///   - account: tells several credentials of it apart.
        public init(service: String, account: String = "backend") {
            self.service = service
            self.account = account
        }

        private var query: [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service,
                kSecAttrAccount: account,
            ]
        }

        public func load() throws(CredentialStoreError) -> Credentials? {
            var query = query
            query[kSecReturnData] = true
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = result as? Data else {
                throw failure(status)
            }
            do throws(ResponseMapperError) {
                return try Credentials(mapping: Array(data))
            } catch { throw CredentialStoreError("the keychain's item is no credentials") }
        }

        public func save(_ credentials: Credentials) throws(CredentialStoreError) {
            let value: [CFString: Any] = [
                kSecValueData: Data(credentials.json()),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, value as CFDictionary)
            if status == errSecItemNotFound {
                let item = query.merging(value) { $1 }
                status = SecItemAdd(item as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw failure(status) }
        }

        public func remove() throws(CredentialStoreError) {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw failure(status)
            }
        }

        private func failure(_ status: OSStatus) -> CredentialStoreError {
            CredentialStoreError("the keychain says \(status)")
        }
    }
#endif
