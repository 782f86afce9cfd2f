import ArticleAPI

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
