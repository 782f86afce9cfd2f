// Everything is in the header, so that Swift can inline it.
#include "CBroadsheetSQLite.h"
