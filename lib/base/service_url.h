// SPDX-License-Identifier: Apache-2.0
// The URL of a service with one or more hosts:
// scheme://[user[:password]@]host[:port][,host[:port]...]/PATH[?WORD=VALUE[&...]]
//
//   ServiceUrl url;
//   if (!parse_service_url("redis://me:secret@h1,[::1]:7000/mycrawl?ca=%2Fca.pem", 6379, url)) ...
//   url.hosts[1].port == 7000; url.path == "mycrawl"; url.words[0].second == "/ca.pem"
//
// User, password, hosts and the values of words are percent-decoded; the path stays as it was
// written. The caller must check which schemes, words and paths its service knows. No error quotes
// the URL, since it may hold a password.
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
// Returns "h:6379" or "[::1]:6379".
std::string text_of(const ServiceHost& host);

struct ServiceUrl {
  std::string scheme;
  std::string user, password;
  std::vector<ServiceHost> hosts;
  std::string path;  // after the first slash, without it
  bool has_path = false;
  std::vector<std::pair<std::string, std::string>> words;
};

// Returns false if a host or its port is invalid. `port` is the port of hosts that name none.
bool parse_service_url(std::string_view text, int port, ServiceUrl& out);

std::string percent_decoded(std::string_view text);

// Whether `text` may name a crawl: [a-z0-9-_.]+, at most 64 bytes.
bool is_crawl_name(std::string_view text);

}  // namespace spinneret

#endif  // SPINNERET_BASE_SERVICE_URL_H_
