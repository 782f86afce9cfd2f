import BroadsheetKit
import BroadsheetTesting
import SwiftUI

/// The screens of the current session, or the reason why its library cannot be opened.
struct RootView: View {
    let app: AppModel

    var body: some View {
        if let library = app.library {
            LibraryView(app: app, library: library).id(ObjectIdentifier(library))
        } else if let problem = app.problem {
            ProblemView(problem)
        } else {
            ProgressView()
        }
    }
}

/// The screens of one account.
private struct LibraryView: View {
    let app: AppModel
    let library: LibraryModel
    @State private var list: ArticleListModel
    @State private var search: SearchModel
    @State private var account: AccountModel

    init(app: AppModel, library: LibraryModel) {
        self.app = app
        self.library = library
        _list = State(initialValue: ArticleListModel(library))
        _search = State(initialValue: SearchModel(library))
        _account = State(initialValue: AccountModel(app))
    }

    var body: some View {
        TabView {
            ArticleListView(model: list, library: library)
                .tabItem { Label("Articles", systemImage: "newspaper") }
            SearchView(model: search, library: library)
                .tabItem { Label("Search", systemImage: "magnifyingglass") }
            WritesView(library: library)
                .tabItem { Label("Outbox", systemImage: "tray.and.arrow.up") }
                .badge(library.decisionCount)
            AccountView(model: account, app: app, library: library)
                .tabItem { Label("Account", systemImage: "person.crop.circle") }
        }
        .task { await library.follow() }
    }
}

struct RootPreviews: PreviewProvider {
    static var previews: some View { Previewed() }

    private struct Previewed: View {
        @State private var app = AppModel(
            .inMemory(.samples, signedInAs: .sample()), keepingFilesIn: nil)

        var body: some View { RootView(app: app).task { await app.follow() } }
    }
}
