// SPDX-License-Identifier: Apache-2.0
// Whether a doctype asks for quirks mode (HTML 13.2.6.4.1), in which names of classes and ids are
// compared without case.
#ifndef SPINNERET_SELECT_QUIRKS_H_
#define SPINNERET_SELECT_QUIRKS_H_

#include "html/tokenizer.h"

namespace spinneret::select {

// A document without a doctype is in quirks mode, too.
bool is_quirks(const html::Token& doctype);

}  // namespace spinneret::select

#endif  // SPINNERET_SELECT_QUIRKS_H_
