// SPDX-License-Identifier: Apache-2.0
// The address of a crawl's PostgreSQL:
//
//   postgresql://[user[:password]@]host[:port][,host[:port]...]/DATABASE/NAME[?WORD=VALUE[&...]]
//
//   sslmode=MODE           disable, prefer (the default), require, verify-ca, verify-full
//   sslrootcert=FILE       authorities for verify-ca and verify-full; `system` means the system's
//   sslcert=FILE, sslkey=FILE    our own certificate and its key, where the server wants one
//
// NAME is the crawl's: a database may have several, whose rows have that name. Several hosts are a
// primary and its standbys: the primary is found among them. A host that begins with %2F is the
// folder of a socket. The password may be in PGPASSWORD, which takes precedence, or in the user's
// .pgpass; it is in no message. All else that libpq reads from its environment counts, too.
#ifndef SPINNERET_PG_ADDRESS_H_
#define SPINNERET_PG_ADDRESS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/service_url.h"

namespace spinneret::pg {

struct Address {
  std::vector<ServiceHost> hosts;
  std::string user, password;  // empty: chosen by libpq
  std::string database;
  std::string crawl;
  std::vector<std::pair<std::string, std::string>> words;  // passed on to libpq

  // The address for messages, without user and password.
  std::string text() const;
};

// Returns whether a URL is such an address, by its scheme.
bool is_address(std::string_view url);
Result<Address> parse_address(std::string_view url);

}  // namespace spinneret::pg

#endif  // SPINNERET_PG_ADDRESS_H_
