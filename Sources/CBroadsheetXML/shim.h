#pragma once
#include <libxml/xmlversion.h>
// The headers of Debian's ICU contradict those of FoundationEssentials. Only the end of
// `xmlCharEncodingHandler` depends on this, which nobody here looks into.
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <libxml/HTMLtree.h>
#include <libxml/encoding.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/uri.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlsave.h>
#include <libxml/xmlwriter.h>

static inline void broadsheet_xml_ignore(void *_Nullable context, const char *_Nullable message, ...) {}

/// Ignores the errors that belong to no parser of ours, in this thread and in later ones: by default,
/// libxml2 writes them to stderr. A variadic function cannot be written in Swift.
static inline void broadsheet_xml_silence(void) {
    xmlThrDefSetGenericErrorFunc(NULL, broadsheet_xml_ignore);
    xmlSetGenericErrorFunc(NULL, broadsheet_xml_ignore);
}

/// Releases what libxml2 allocated: `xmlFree` is a variable, which Swift cannot call safely.
static inline void broadsheet_xml_free(void *_Nullable memory) { xmlFree(memory); }
