// Error, as autograd/base/error.h defines it: the name under which graph and engine code includes
// it.

#ifndef AUTOGRAD_GRAPH_ERROR_H_
#define AUTOGRAD_GRAPH_ERROR_H_

#include "autograd/base/error.h"  // IWYU pragma: export

#endif  // AUTOGRAD_GRAPH_ERROR_H_
