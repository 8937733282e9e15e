// SPDX-License-Identifier: Apache-2.0
// Who makes the requests: the User-Agent and From of all of them.
#ifndef SPINNERET_TOOLS_IDENTITY_H_
#define SPINNERET_TOOLS_IDENTITY_H_

#include <string>

#include "cli/options.h"
#include "http/wire.h"

namespace spinneret {

// Sets User-Agent, and From where the contact is a mail address. A product token alone gets our version, so that
// the whole is product/version (RFC 9110, section 10.1.5); the contact stands behind it, if it is not there yet.
void set_identity(const cli::Options& options, http::WireOptions& wire, const std::string& agent);

// --contact, or SPINNERET_CONTACT.
std::string contact_of(const cli::Options& options);

// What goes into a header field has no control bytes: a line end in it would begin a field of its own.
void check_field_text(const cli::Options& options, std::string_view name, const std::string& text);

// The value of an environment variable; empty where there is none.
std::string environment_value(const char* name);

// The file of SSL_CERT_FILE; empty where the system's trust anchors count. One that cannot be read is wrong usage: all hosts that
// speak TLS would fail for it.
std::string trust_anchors(const cli::Options& options);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_IDENTITY_H_
