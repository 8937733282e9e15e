// SPDX-License-Identifier: Apache-2.0
// Where a crawl's PostgreSQL is: postgresql://[user[:password]@]host[:port][,host[:port]...]/DATABASE/NAME[?WORD=VALUE[&...]]
//
//   sslmode=MODE           disable, prefer (which it is without), require, verify-ca, verify-full
//   sslrootcert=FILE       authorities for verify-ca and verify-full; `system` are those of the system
//   sslcert=FILE, sslkey=FILE    our own certificate and its key, where the server wants one
//
// NAME is the crawl's: a database may have several, whose rows bear it. Several hosts are a primary and its standbys: the
// primary is found among them. A host that begins with %2F is the folder of a socket. The password may stand in PGPASSWORD
// instead, which wins, or in the user's .pgpass; it is in no message. What else libpq reads from its environment counts, too.
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
  std::string user, password;  // empty: as libpq finds them
  std::string database;
  std::string crawl;
  std::vector<std::pair<std::string, std::string>> words;  // libpq's own

  // For messages, without user and password.
  std::string text() const;
};

// Whether a URL is one of these, by its scheme.
bool is_address(std::string_view url);
Result<Address> parse_address(std::string_view url);

}  // namespace spinneret::pg

#endif  // SPINNERET_PG_ADDRESS_H_
