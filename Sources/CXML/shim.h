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

/// Releases what libxml2 allocated: `xmlFree` is a variable, which Swift cannot call safely.
static inline void broadsheet_xml_free(void *_Nullable memory) { xmlFree(memory); }
