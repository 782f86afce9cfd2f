// Generated from Errors.xcstrings by CatalogueTests, with BROADSHEET_RECORD=1.

/// The keys of the string catalogue, in their order, and the phrases in English.
package enum ErrorPhrase: Int, CaseIterable {
    case accountNeeded
    case addressInvalid
    case addressInvalidAdvice
    case againAdvice
    case againIn
    case againLater
    case againSoon
    case bookmarksFull
    case bookmarksFullAdvice
    case busy
    case cancelled
    case cancelledAdvice
    case changed
    case changedAdvice
    case commentRepeated
    case commentRepeatedAdvice
    case commentsClosed
    case copyOutdated
    case copyOutdatedAdvice
    case credentials
    case credentialsAdvice
    case credentialsDamaged
    case credentialsDamagedAdvice
    case credentialsFailed
    case credentialsFailedAdvice
    case credentialsForbidden
    case credentialsLocked
    case credentialsLockedAdvice
    case disk
    case diskAdvice
    case editTimeOver
    case editTimeOverAdvice
    case exposed
    case exposedAdvice
    case failed
    case faultBytes
    case faultCommon
    case faultCommonAdvice
    case faultEmpty
    case faultEmptyAdvice
    case faultInvitation
    case faultInvitationAdvice
    case faultLong
    case faultLongAdvice
    case faultOther
    case faultOtherAdvice
    case faultShort
    case faultShortAdvice
    case faultWrong
    case faultWrongAdvice
    case fieldAuthors
    case fieldBody
    case fieldComment
    case fieldCurrent
    case fieldDisplayName
    case fieldImage
    case fieldInvitation
    case fieldLanguage
    case fieldName
    case fieldOther
    case fieldPassword
    case fieldSlug
    case fieldSummary
    case fieldTags
    case fieldTime
    case fieldTitle
    case forbidden
    case forbiddenAdvice
    case full
    case fullAdvice
    case gone
    case goneAdvice
    case inProgress
    case insecure
    case invitationNeeded
    case invitationNeededAdvice
    case keepText
    case lost
    case nameTaken
    case nameTakenAdvice
    case network
    case networkAdvice
    case notStored
    case notStoredAdvice
    case notYours
    case notYoursAdvice
    case offline
    case offlineAdvice
    case outboxFull
    case outboxFullAdvice
    case outboxSettled
    case outdated
    case passwordWrong
    case passwordWrongAdvice
    case rejected
    case rejectedAdvice
    case reloadAdvice
    case savedBefore
    case signIn
    case signInAdvice
    case signInRejected
    case signInRejectedAdvice
    case signedOut
    case slugTaken
    case slugTakenAdvice
    case storeBusy
    case storeDamaged
    case storeDamagedAdvice
    case storeFull
    case storeFullAdvice
    case storeNewer
    case storeOther
    case storeOtherAdvice
    case timedOut
    case timedOutAdvice
    case titleComment
    case titleLoad
    case titleSave
    case titleSignIn
    case titleSignUp
    case tooLarge
    case tooLong
    case tooOften
    case tooOftenComment
    case tooOftenSave
    case tooOftenSignIn
    case tooOftenSignUp
    case unavailable
    case unexpected
    case unreadable
    case unsupported
    case updateAdvice
    case waitDays
    case waitHours
    case waitMinutes
    case waitSeconds

    static let english: [Phrase] = [
        .text("This needs an account of your own."),
        .text("This address is not valid."),
        .text("Check the address and try again."),
        .text("Try again. If that does not help, update the app."),
        .text("Try again in %1$@."),
        .text("Try again in a few minutes."),
        .text("Wait a moment and try again."),
        .text("You have too many bookmarks."),
        .text("Remove one and try again."),
        .text("The app is still busy."),
        .text("This was cancelled."),
        .text("Try again if you still need it."),
        .text("Someone else has changed this."),
        .text("Reload it and repeat your change."),
        .text("You have just posted the same comment."),
        .text("Write something else."),
        .text("Comments on this article are closed."),
        .text("What is stored on this device is out of date."),
        .text("Reload everything."),
        .text("You could not be signed in securely."),
        .text("Unlock the device, or sign in again."),
        .text("The stored sign-in is damaged."),
        .text("Sign in again."),
        .text("Your sign-in could not be stored."),
        .text("Restart the device and sign in again."),
        .text("The app may not store your sign-in."),
        .text("The device has not been unlocked yet."),
        .text("Unlock the device and try again."),
        .text("The storage of this device is full or damaged."),
        .text("Free some storage and try again."),
        .text("The time for changing this comment is over."),
        .text("Delete it, or write a new one."),
        .text("Others may have seen your password on this network."),
        .text("Change your password, and update the app."),
        .text("The server has a problem."),
        .text("%1$@ is too long."),
        .text("The password is easy to guess."),
        .text("Choose another password."),
        .text("%1$@ is missing."),
        .text("Fill it in and try again."),
        .text("The invitation is not valid, or was used."),
        .text("Ask for a new invitation."),
        .text("%1$@ is longer than %2$lld characters."),
        .text("Shorten it and try again."),
        .text("%1$@ is not accepted."),
        .text("Change it and try again."),
        .text("%1$@ is shorter than %2$lld characters."),
        .text("Make it longer and try again."),
        .text("%1$@ is wrong."),
        .text("Check it and try again."),
        .text("An author’s name"),
        .text("The text"),
        .text("The comment"),
        .text("The current password"),
        .text("The display name"),
        .text("The image"),
        .text("The invitation"),
        .text("The language"),
        .text("The name"),
        .text("An entry"),
        .text("The password"),
        .text("The address"),
        .text("The summary"),
        .text("A tag"),
        .text("The time"),
        .text("The title"),
        .text("Your account does not allow this."),
        .text("Sign in with another account, or ask an editor."),
        .text("The server has no space left."),
        .text("Try again later, and tell those who run the server."),
        .text("This is no longer there."),
        .text("Go back and reload."),
        .text("This is still being saved."),
        .text("A secure connection to the server could not be established."),
        .text("Signing up needs an invitation."),
        .text("Ask for an invitation and enter its code."),
        .text("Copy your text if you want to keep it, then go back."),
        .text("The connection to the server was lost."),
        .text("Another user has this name."),
        .text("Choose another name. If this one is yours, sign in."),
        .text("This network may need you to sign in."),
        .text("Open a page in your browser to sign in to the network, or use another one."),
        .text("This is not available offline."),
        .text("Connect to the internet and try again."),
        .text("Somebody else wrote this."),
        .text("Change only what you wrote yourself."),
        .text("The server cannot be reached."),
        .text("Check your internet connection and try again."),
        .text("Too many changes are waiting to be sent."),
        .text("Connect to the internet and wait until they are sent."),
        .text("This change was already sent or discarded."),
        .text("The app and the server do not fit together."),
        .text("The name or the password is wrong."),
        .text("Check both and try again."),
        .text("The server did not accept this."),
        .text("Check what you entered and try again."),
        .text("Reload to see it."),
        .text("This was saved before."),
        .text("You need to sign in."),
        .text("Sign in and try again."),
        .text("This sign-in was not accepted."),
        .text("Sign in again, or in another way."),
        .text("You have signed out."),
        .text("Another article has this address."),
        .text("Choose another address."),
        .text("The stored articles are in use."),
        .text("The stored articles are damaged."),
        .text("Restart the app. If that does not help, install it again."),
        .text("The app has no room for more articles."),
        .text("Keep fewer articles on this device and try again."),
        .text("A newer version of the app has stored your articles."),
        .text("The stored articles belong to another account."),
        .text("Sign in with that account."),
        .text("The server took too long to respond."),
        .text("Try again, or check your internet connection."),
        .text("Could not post the comment"),
        .text("Could not load"),
        .text("Could not save"),
        .text("Could not sign in"),
        .text("Could not sign up"),
        .text("The server’s response is too large."),
        .text("This is too long."),
        .text("The server limits how much it does in a short time."),
        .text("You have written many comments in a short time."),
        .text("You have made many changes in a short time."),
        .text("Too many attempts to sign in have failed."),
        .text("Too many accounts were created here in a short time."),
        .text("The server is not available at the moment."),
        .text("Something unexpected happened."),
        .text("The server’s response cannot be understood."),
        .text("This version of the app cannot do this."),
        .text("Update the app and try again."),
        .plural(one: "%1$lld day", other: "%1$lld days"),
        .plural(one: "%1$lld hour", other: "%1$lld hours"),
        .plural(one: "%1$lld minute", other: "%1$lld minutes"),
        .plural(one: "%1$lld second", other: "%1$lld seconds"),
    ]
}
