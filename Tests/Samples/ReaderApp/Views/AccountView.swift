import BroadsheetKit
import SwiftUI

/// Signing in and out, and the deletion of the account.
struct AccountView: View {
    @Bindable var model: AccountModel
    let app: AppModel
    let library: LibraryModel

    var body: some View {
        NavigationStack {
            Form {
                if let problem = model.problem { ProblemRow(problem) }
                if app.isExpired {
                    Text("Your session has ended. Sign in to send what you have written.")
                }
                if library.account == nil || app.isExpired { signIn }
                if library.account != nil { account }
            }
            .navigationTitle("Account")
        }
        .task { await model.load() }
    }

    private var signIn: some View {
        Section {
            TextField("Name", text: $model.name)
                .textContentType(.username)
                .textInputAutocapitalization(.never)
                .autocorrectionDisabled()
            SecureField("Password", text: $model.password).textContentType(.password)
            Button("Sign in") { Task { await model.signIn() } }.disabled(!model.canSend)
            Button("Create an account") { Task { await model.signUp() } }.disabled(!model.canSend)
        }
    }

    @ViewBuilder private var account: some View {
        Section {
            LabeledContent("Name", value: model.user?.displayName ?? "—")
            Toggle("Remove what is on this device", isOn: $model.removesFiles)
            Button("Sign out", role: .destructive) { Task { await model.signOut() } }
        } footer: {
            Text("What is not sent yet waits on this device until you sign in again.")
        }
        Section {
            NavigationLink("Delete account") { DeleteAccountView(model: model) }
        }
    }
}

/// The last screen of an account.
private struct DeleteAccountView: View {
    @Bindable var model: AccountModel
    @State private var isConfirming = false

    var body: some View {
        Form {
            if let problem = model.problem { ProblemRow(problem) }
            Section {
                SecureField("Password", text: $model.password).textContentType(.password)
                Toggle("Delete my comments, too", isOn: $model.deletesComments)
            } footer: {
                Text("Your account, your sessions and your bookmarks are deleted at once.")
            }
            Button("Delete account", role: .destructive) { isConfirming = true }
                .disabled(model.password.isEmpty || model.isBusy)
        }
        .navigationTitle("Delete account")
        .confirmationDialog("Delete the account?", isPresented: $isConfirming) {
            Button("Delete", role: .destructive) { Task { await model.delete() } }
        } message: {
            Text("This cannot be undone.")
        }
    }
}
