import ArticleAPI

/// One item of a keychain, and what its four functions say (`OSStatus` of SecBase.h).
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

/// How credentials get into a keychain's item and out of it: apart from the keychain itself, so
/// that its errors can be played where there is none.
struct KeychainItemStore<Item: KeychainItem>: Sendable {
    let item: Item

    func load() throws(CredentialStoreError) -> Credentials? {
        let (status, bytes) = item.copy()
        if status == KeychainStatus.itemNotFound { return nil }
        guard status == KeychainStatus.success else { throw KeychainStatus.error(status) }
        do throws(ResponseMapperError) {
            return try Credentials(mapping: bytes ?? [])
        } catch {
            throw CredentialStoreError("The keychain's item holds no credentials.", .damaged)
        }
    }

    func save(_ credentials: Credentials) throws(CredentialStoreError) {
        let bytes = credentials.json()
        var status = item.update(bytes)
        if status == KeychainStatus.itemNotFound {
            status = item.add(bytes)
            // Somebody else, perhaps an extension of the app, has added it in between.
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

/// The statuses that mean something to an app (SecBase.h).
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
        default: CredentialStoreError("The keychain fails with status \(status).")
        }
    }
}
