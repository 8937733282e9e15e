// SPDX-License-Identifier: Apache-2.0
#include "identity.h"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "url/parse.h"

namespace spinneret {
namespace {

std::string product_with_contact(const std::string& agent, const std::string& contact) {
  if (contact.empty() || agent.find(contact) != std::string::npos) return agent;
  return agent + " (+" + contact + ")";
}

}  // namespace

std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string trust_anchors(const cli::Options& options) {
  std::string out = environment_value("SSL_CERT_FILE");
  if (out.empty()) return out;
  // A folder can be opened, but not read.
  if (const Result<std::string> text = read_file(out); !text.ok())
    options.usage_error("SSL_CERT_FILE: " + text.message());
  return out;
}

void check_field_text(const cli::Options& options, std::string_view name, const std::string& text) {
  if (!std::any_of(text.begin(), text.end(), [](char c) { return is_control(c); })) return;
  options.usage_error("--" + std::string(name) + " takes text without control bytes, not " +
                      excerpt(text));
}

std::string contact_of(const cli::Options& options) {
  std::string out = options.get("contact", environment_value("SPINNERET_CONTACT"));
  check_field_text(options, "contact", out);
  return out;
}

void set_identity(const cli::Options& options, http::WireOptions& wire, const std::string& agent) {
  check_field_text(options, "agent", agent);
  const std::string contact = contact_of(options);
  const bool bare = std::all_of(agent.begin(), agent.end(),
                                [](char c) { return is_alpha(c) || c == '-' || c == '_'; });
  wire.agent = product_with_contact(bare ? agent + "/" SPINNERET_VERSION : agent, contact);
  // From takes a mail address (RFC 9110, section 10.1.2). A contact page, whose URL may have an @
  // too, goes into the User-Agent alone.
  Url page;
  if (contact.find('@') != std::string::npos && !parse(contact, page)) {
    wire.headers.push_back("From: " + contact);
  }
}

}  // namespace spinneret
