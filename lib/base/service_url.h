// SPDX-License-Identifier: Apache-2.0
// Where a service of several hosts is: scheme://[user[:password]@]host[:port][,host[:port]...]/PATH[?WORD=VALUE[&...]]
//
//   ServiceUrl url;
//   if (!parse_service_url("redis://me:secret@h1,[::1]:7000/mycrawl?ca=%2Fca.pem", 6379, url)) ...
//   url.hosts[1].port == 7000; url.path == "mycrawl"; url.words[0].second == "/ca.pem"
//
// User, password, hosts and the words' values are percent-decoded, the path is as it was written. What is a service's
// own (which schemes, words and paths there are) is for whoever asks. Nothing here is in a message: it may be a password.
#ifndef SPINNERET_BASE_SERVICE_URL_H_
#define SPINNERET_BASE_SERVICE_URL_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spinneret {

struct ServiceHost {
  std::string name;  // without the brackets of an IPv6 address
  int port = 0;
  friend bool operator==(const ServiceHost&, const ServiceHost&) = default;
};
// "h:6379", "[::1]:6379".
std::string text_of(const ServiceHost& host);

struct ServiceUrl {
  std::string scheme;
  std::string user, password;
  std::vector<ServiceHost> hosts;
  std::string path;  // behind the first slash, without it
  bool has_path = false;
  std::vector<std::pair<std::string, std::string>> words;
};

// False: a host or its port is none. `port` is that of hosts which name none.
bool parse_service_url(std::string_view text, int port, ServiceUrl& out);

std::string percent_decoded(std::string_view text);

// [a-z0-9-_.]+ and 64 bytes at most, as crawls are named.
bool is_crawl_name(std::string_view text);

}  // namespace spinneret

#endif  // SPINNERET_BASE_SERVICE_URL_H_
