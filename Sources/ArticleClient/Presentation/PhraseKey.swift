// Generated from Presentation.xcstrings by CatalogueTests, with BROADSHEET_RECORD=1.

/// The keys of the string catalogue, in their order, and the phrases in English.
enum PhraseKey: Int, CaseIterable {
    case bylineMore
    case bylineOne
    case bylineOneSpoken
    case bylineThree
    case bylineTwo
    case bylineTwoSpoken
    case commentAuthorGone
    case commentDeleted
    case commentHidden
    case commentPending
    case dateDay
    case dateDayAndTime
    case dateDayOfYear
    case dateHoursAgo
    case dateHoursAgoSpoken
    case dateInMinutes
    case dateInMinutesSpoken
    case dateJustNow
    case dateMinutesAgo
    case dateMinutesAgoSpoken
    case dateSoon
    case dateToday
    case dateTomorrow
    case dateYesterday
    case month01
    case month01Short
    case month02
    case month02Short
    case month03
    case month03Short
    case month04
    case month04Short
    case month05
    case month05Short
    case month06
    case month06Short
    case month07
    case month07Short
    case month08
    case month08Short
    case month09
    case month09Short
    case month10
    case month10Short
    case month11
    case month11Short
    case month12
    case month12Short
    case readingTime
    case readingTimeSpoken
    case titleUntitled

    static let english: [Phrase] = [
        .text("By %1$@, %2$@ and %3$lld others"),
        .text("By %1$@"),
        .text("By %1$@"),
        .text("By %1$@, %2$@ and %3$@"),
        .text("By %1$@ and %2$@"),
        .text("By %1$@ and %2$@"),
        .text("Former user"),
        .text("This comment was deleted."),
        .text("This comment is hidden."),
        .text("Waiting for approval"),
        .text("%1$@ %2$lld"),
        .text("%1$@ at %2$@"),
        .text("%1$@ %2$lld, %3$lld"),
        .text("%1$lld h ago"),
        .plural(one: "%1$lld hour ago", other: "%1$lld hours ago"),
        .text("In %1$lld min"),
        .plural(one: "In %1$lld minute", other: "In %1$lld minutes"),
        .text("Just now"),
        .text("%1$lld min ago"),
        .plural(one: "%1$lld minute ago", other: "%1$lld minutes ago"),
        .text("In a moment"),
        .text("Today at %1$@"),
        .text("Tomorrow at %1$@"),
        .text("Yesterday"),
        .text("January"),
        .text("Jan"),
        .text("February"),
        .text("Feb"),
        .text("March"),
        .text("Mar"),
        .text("April"),
        .text("Apr"),
        .text("May"),
        .text("May"),
        .text("June"),
        .text("Jun"),
        .text("July"),
        .text("Jul"),
        .text("August"),
        .text("Aug"),
        .text("September"),
        .text("Sep"),
        .text("October"),
        .text("Oct"),
        .text("November"),
        .text("Nov"),
        .text("December"),
        .text("Dec"),
        .text("%1$lld min read"),
        .plural(one: "%1$lld minute to read", other: "%1$lld minutes to read"),
        .text("Untitled"),
    ]
}
