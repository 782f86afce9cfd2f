import BroadsheetKit
import SwiftUI

/// Articles of a Broadsheet backend, with and without a network.
@main struct ReaderApp: App {
    @State private var app = AppModel(Setup.backend, keepingFilesIn: Setup.folder)
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            RootView(app: app)
                .task { await app.follow() }
                .task {
                    for await conditions in NetworkConditions.changes {
                        app.networkDidChange(to: conditions)
                    }
                }
        }
        .onChange(of: phase) { app.sceneDidChange(isActive: phase != .background) }
    }
}
