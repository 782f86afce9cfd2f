import BroadsheetKit

/// Opens what an account has on the device, and what fills and empties it.
///
/// - Parameters:
///   - folder: of the app's own files, which are not backed up.
///   - account: `Credentials.account` of the signed-in user.
///   - backend: with the credentials of that account.
func openLibrary(
    in folder: String, of account: String, on backend: BackendService
) throws(OfflineError) -> OfflineLibrary {
    try OfflineLibrary(
        .file(in: folder, of: account, at: backend.configuration.baseURL), on: backend,
        mirroring: FetchChangesRequest(tags: ["writing"]), limits: .init(bytes: 200 << 20))
}
