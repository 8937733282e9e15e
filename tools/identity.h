// SPDX-License-Identifier: Apache-2.0
// Who makes the requests: the User-Agent and From of all of them.
#ifndef SPINNERET_TOOLS_IDENTITY_H_
#define SPINNERET_TOOLS_IDENTITY_H_

#include <string>

#include "http/wire.h"

namespace spinneret {

// Sets User-Agent, and From where `contact` is a mail address. A product token alone gets our version, so that
// the whole is product/version (RFC 9110, section 10.1.5); the contact stands behind it, if it is not there yet.
void set_identity(http::WireOptions& wire, const std::string& agent, const std::string& contact);

// The value of an environment variable; empty where there is none.
std::string environment_value(const char* name);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_IDENTITY_H_
