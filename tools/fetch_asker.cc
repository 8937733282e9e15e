// SPDX-License-Identifier: Apache-2.0
// Reads the part of fetch's command line that says who asks, and by which connections.
#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/excerpt.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text_file.h"
#include "fetch_settings.h"
#include "http/address.h"
#include "http/header_block.h"
#include "http/ledger.h"
#include "http/request_signer.h"
#include "identity.h"

namespace spinneret {

namespace {

void read_identity(const cli::Options& options, http::WireOptions& wire) {
  const std::string named = environment_value("SPINNERET_AGENT");
  const std::string agent =
      options.get("agent", named.empty() ? "Spinneret/" SPINNERET_VERSION : named);
  if (agent.find_first_not_of(' ') == std::string::npos) {
    options.usage_error("--agent must name the crawler: servers cannot tell who an empty one is");
  }
  set_identity(options, wire, agent);
}

void read_headers(const cli::Options& options, http::WireOptions& wire) {
  bool accept = false;
  bool language = false;
  for (std::string line : options.all("header")) {
    const std::size_t colon = line.find(':');
    const std::string_view name = std::string_view(line).substr(0, colon);
    // White space around a name would smuggle it past the ban below; servers refuse it.
    if (colon == std::string::npos || !http::is_token(name)) {
      const bool table = options.has("csv") || options.has("tsv");
      options.usage_error(
          "--header takes a line such as 'Name: value', not " + excerpt(line) +
          (table ? "; of a table, --field=NAME alone says that its first row names the columns"
                 : ""));
    }
    check_field_text(options, "header", line);
    for (const std::string_view own :
         {"host", "content-length", "transfer-encoding", "accept-encoding", "authorization",
          "cookie", "connection", "signature", "signature-input", "signature-agent"}) {
      if (equals_ignore_case(name, own)) {
        options.usage_error("--header cannot set " + std::string(own) +
                            (own == "authorization"         ? ": use --auth"
                             : own == "cookie"              ? ": use --cookies"
                             : own.starts_with("signature") ? ": use --sign-key"
                                                            : ""));
      }
    }
    accept = accept || equals_ignore_case(name, "accept");
    language = language || equals_ignore_case(name, "accept-language");
    line.resize(line.find_last_not_of(' ') + 1);
    wire.headers.push_back(line);
  }
  if (!accept) {
    wire.headers.emplace_back(
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
  }
  if (!language) wire.headers.emplace_back("Accept-Language: en,*;q=0.5");
}

// Whether the text has no control characters and no white space, even escaped, and nothing that
// ends the authority of a URL.
bool is_plain_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c < '!' || c > '~' || std::string_view("/?#\\@").find(c) != std::string_view::npos)
      return false;
    if (c != '%') continue;
    if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
    if (is_control(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]))))
      return false;
  }
  return true;
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) return parse_ip(host).has_value();
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == '.' || c == '_';
  });
}

// Whether libcurl can use the proxy. It would complain about a bad one in each record, password and
// all.
bool is_proxy(std::string_view url) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos) return false;
  constexpr std::string_view kSchemes[] = {"http",    "https",  "socks4",
                                           "socks4a", "socks5", "socks5h"};
  const auto is_scheme = [&](std::string_view name) {
    return equals_ignore_case(name, url.substr(0, end));
  };
  if (std::none_of(std::begin(kSchemes), std::end(kSchemes), is_scheme)) return false;
  url.remove_prefix(end + 3);
  if (url.ends_with('/')) url.remove_suffix(1);
  const std::size_t at = url.find('@');
  if (at != std::string_view::npos) {
    if (!is_plain_text(url.substr(0, at))) return false;
    url.remove_prefix(at + 1);
  }
  const std::size_t colon = url.rfind(':');
  if (colon == std::string_view::npos || !is_host(url.substr(0, colon))) return false;
  const auto port = parse_unsigned(url.substr(colon + 1));
  return port && *port >= 1 && *port <= 65535;
}

std::string read_proxy(const cli::Options& options) {
  std::string proxy = options.get("proxy");
  // The value is not shown: it may hold a password.
  if (options.has("proxy") && !is_proxy(proxy)) {
    options.usage_error(
        "--proxy takes [user:password@]host:port behind http://, https://, socks4://, socks4a://, "
        "socks5:// or "
        "socks5h://");
  }
  return proxy;
}

std::string read_secret_file(const cli::Options& options, std::string_view name) {
  Result<std::string> text = read_text_file(options.get(name), std::size_t{1} << 20);
  if (!text.ok()) options.usage_error("--" + std::string(name) + ": " + text.message());
  return text.take();
}

void read_signing(const cli::Options& options, FetchSettings& out) {
  for (const char* const name : {"signature-agent", "sign", "signing-directory"}) {
    if (options.has(name) && !options.has("sign-key")) {
      options.usage_error("--" + std::string(name) + " needs a key: name it with --sign-key");
    }
  }
  if (!options.has("sign-key")) return;
  out.engine.sign_all = options.choice("sign", 0) == 0;
  const std::string pem = read_secret_file(options, "sign-key");
  const auto complain = [&](const Error& why) {
    options.usage_error("--sign-key: " + options.get("sign-key") + ": " + why.message);
  };
  if (options.has("signing-directory")) {
    Result<std::string> directory = http::signing_directory(pem);
    if (!directory.ok()) complain(directory.error());
    out.directory = directory.take();
    return;
  }
  if (!http::is_signature_agent(options.get("signature-agent"))) {
    options.usage_error(
        "--sign-key needs --signature-agent, the https URL of the host that publishes the key, "
        "not " +
        excerpt(options.get("signature-agent")));
  }
  Result<http::RequestSigner> signer =
      http::RequestSigner::create(pem, options.get("signature-agent"));
  if (!signer.ok()) complain(signer.error());
  out.engine.signer = signer.take();
}

void check_readable(const cli::Options& options, std::string_view name) {
  if (!options.has(name)) return;
  // A folder can be opened, but not read.
  if (const Result<std::string> text = read_file(options.get(name)); !text.ok()) {
    options.usage_error("--" + std::string(name) + ": " + text.message());
  }
}

void read_connection(const cli::Options& options, http::WireOptions& wire) {
  if (options.has("key") && !options.has("cert")) options.usage_error("--key needs its --cert");
  check_readable(options, "cert");
  check_readable(options, "key");
  wire.cert_file = options.get("cert");
  wire.key_file = options.get("key");
  wire.interface = options.get("interface");
  const bool plain = std::all_of(wire.interface.begin(), wire.interface.end(), [](char c) {
    return is_alnum(c) || std::string_view("-_.:").find(c) != std::string_view::npos;
  });
  if (options.has("interface") && (wire.interface.empty() || !plain)) {
    options.usage_error("--interface takes a name such as eth0 or an address, not " +
                        excerpt(wire.interface));
  }
  wire.http3 = options.has("http3");
  if (wire.http3 && !http::Wire::has_http3()) {
    options.usage_error("--http3: libcurl " + http::Wire::libcurl_version() +
                        ", which is used here, was built without it");
  }
}

void read_policy(const cli::Options& options, http::AddressPolicy& policy) {
  if (options.has("ipv4") && options.has("ipv6")) {
    options.usage_error("--ipv4 and --ipv6 exclude each other: without them both are used");
  }
  if (options.has("ipv4")) policy.only_v4();
  if (options.has("ipv6")) policy.only_v6();
  if (options.has("allow-private")) policy.allow_all();
  for (const std::string& range : options.all("allow")) {
    if (const Status allowed = policy.allow(range); !allowed.ok()) {
      options.usage_error("--allow: " + allowed.message());
    }
  }
}

// Money is spent only where the page's price, --max-price and the ledger allow it.
void read_ledger(const cli::Options& options, http::EngineOptions& engine) {
  if (options.has("max-price") != options.has("ledger")) {
    options.usage_error("--max-price and --ledger go together: nothing is paid without both");
  }
  if (!options.has("ledger")) return;
  if (!options.has("sign-key")) {
    options.usage_error("--ledger needs --sign-key: only a known agent can be charged");
  }
  const std::optional<http::Price> most = http::parse_price(options.get("max-price"));
  if (!most) {
    options.usage_error("--max-price takes an amount such as 'USD 0.01', not " +
                        excerpt(options.get("max-price")));
  }
  Result<http::Ledger> ledger = http::Ledger::open(options.get("ledger"), *most);
  if (!ledger.ok()) options.usage_error("--ledger: " + ledger.message());
  engine.ledger = std::make_shared<http::Ledger>(ledger.take());
}

void read_cookies(const cli::Options& options, http::WireOptions& wire) {
  wire.cookie_file = options.get("cookies");
  wire.cookie_jar = options.get("cookie-jar", wire.cookie_file);
}

}  // namespace

void read_asker(const cli::Options& options, FetchSettings& out) {
  http::EngineOptions& engine = out.engine;
  read_identity(options, engine.wire);
  read_headers(options, engine.wire);
  if (options.has("auth")) {
    Result<http::AuthTable> table = http::AuthTable::parse(read_secret_file(options, "auth"));
    if (!table.ok()) options.usage_error("--auth: " + options.get("auth") + ":" + table.message());
    engine.auth = table.take();
  }
  read_signing(options, out);
  read_ledger(options, engine);
  read_cookies(options, engine.wire);
  engine.wire.proxy = engine.auth.proxy_with_user(read_proxy(options));
  engine.wire.insecure = out.fields.insecure = options.has("insecure");
  engine.wire.ca_file = trust_anchors(options);
  engine.resolver.servers = environment_value("SPINNERET_DNS");
  read_connection(options, engine.wire);
  read_policy(options, engine.policy);
}

}  // namespace spinneret
