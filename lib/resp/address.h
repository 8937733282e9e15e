// SPDX-License-Identifier: Apache-2.0
// The address of a crawl's engine:
//
//   redis://[user[:password]@]host[:port][,host[:port]...]/NAME[?WORD=VALUE[&...]]
//
//   sentinel=PRIMARY       the hosts are Sentinels (port 26379) that know the primary by this name
//   ca=FILE                with rediss://, which is TLS: authorities in place of the system's
//   cert=FILE, key=FILE    our own certificate and its key, where the server wants one
//
// NAME is the crawl's: all keys begin with spinneret:{NAME}: and so lie in one slot of a cluster.
// Several hosts are seeds: the primary is found among them. A password in SPINNERET_REDIS_PASSWORD
// or REDISCLI_AUTH takes precedence over the one here; it is in no message.
#ifndef SPINNERET_RESP_ADDRESS_H_
#define SPINNERET_RESP_ADDRESS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/service_url.h"

namespace spinneret::resp {

using Host = ServiceHost;

struct Tls {
  bool on = false;
  // Files; without `key` the certificate's file has it.
  std::string ca = {}, certificate = {}, key = {};
};

struct Address {
  std::vector<Host> seeds;
  std::string user;
  std::string password;
  std::string crawl;
  std::string sentinel;  // name by which Sentinels know the primary; empty: the seeds are servers
  Tls tls;

  // The beginning of every key: "spinneret:{mycrawl}:".
  std::string prefix() const { return "spinneret:{" + crawl + "}:"; }
  // The address for messages, without user and password.
  std::string text() const;
};

Result<Address> parse_address(std::string_view url);
// Does the same, with the password of the environment.
Result<Address> parse_address_with_environment(std::string_view url);

}  // namespace spinneret::resp

#endif  // SPINNERET_RESP_ADDRESS_H_
