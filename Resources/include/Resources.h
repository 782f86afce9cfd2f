/// Files that the binary carries.
#pragma once
#include <stddef.h>
