// SPDX-License-Identifier: Apache-2.0
// Sets who makes the requests: the User-Agent and From of all of them.
#ifndef SPINNERET_TOOLS_IDENTITY_H_
#define SPINNERET_TOOLS_IDENTITY_H_

#include <string>

#include "cli/options.h"
#include "http/wire.h"

namespace spinneret {

// Sets User-Agent, and From where the contact is a mail address. A product token without a version
// gets ours, so that the whole is product/version (RFC 9110, section 10.1.5). The contact is
// appended, unless the text has it already.
void set_identity(const cli::Options& options, http::WireOptions& wire, const std::string& agent);

// Returns the contact of --contact, or of SPINNERET_CONTACT.
std::string contact_of(const cli::Options& options);

// Refuses control bytes in text for a header field: a line end in it would begin another field.
void check_field_text(const cli::Options& options, std::string_view name, const std::string& text);

// Returns the value of an environment variable; empty where it is not set.
std::string environment_value(const char* name);

// Returns the file of SSL_CERT_FILE; empty where the system's trust anchors count. A file that
// cannot be read is wrong usage: all hosts that speak TLS would fail for it.
std::string trust_anchors(const cli::Options& options);

}  // namespace spinneret

#endif  // SPINNERET_TOOLS_IDENTITY_H_
