// As standard.h, for tests.
#include <doctest/doctest.h>

#include "standard.h"
