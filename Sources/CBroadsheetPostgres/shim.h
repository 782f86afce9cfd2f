/// libpq, and what Swift cannot see of it: character constants.
#pragma once
#include <libpq-fe.h>

/// A field of an error report (`PQresultErrorField`).
static const int cpostgres_sqlstate = PG_DIAG_SQLSTATE;
static const int cpostgres_primary_message = PG_DIAG_MESSAGE_PRIMARY;
static const int cpostgres_constraint = PG_DIAG_CONSTRAINT_NAME;

/// Discards notices, which libpq would print (`PQsetNoticeProcessor`).
static inline void cpostgres_ignore(void *context, const char *message) {
    (void)context;
    (void)message;
}

static inline void cpostgres_discard_notices(PGconn *connection) {
    PQsetNoticeProcessor(connection, cpostgres_ignore, (void *)0);
}
