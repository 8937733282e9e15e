// SPDX-License-Identifier: Apache-2.0
// Query parameters: found, dropped and sorted by their decoded names, never re-encoded. Also the built-in
// lists of parameters that say nothing about the page.
#ifndef SPINNERET_URL_PARAMS_H_
#define SPINNERET_URL_PARAMS_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spinneret {

// Names of tracking parameters, as globs, in lower case; matched without regard to case.
std::span<const std::string_view> tracking_params();
// Names of session ids, in queries (?PHPSESSID=) and as path parameters (;jsessionid=), likewise.
std::span<const std::string_view> session_params();

// Whether a decoded name, in lower case, is on the list.
bool is_tracking_param(std::string_view lower_name);
// Whether "name=value" is a session id, for all who ask: by a name on the list, or by one that may mean a session
// ("sid", "token") with a value that looks like an id, 16 or more letters and digits of both sorts. Decodes the name.
bool is_session_param(std::string_view param);
bool has_session_param(std::string_view query);

// The lists as lines: "tracking", tab, name; names of sessions by their value are "session-value".
std::string params_table();

// Whether `text` matches a glob of '*' (any bytes) and '?' (one byte).
bool matches_glob(std::string_view glob, std::string_view text);

// Calls use(param) for each parameter, "name=value", empty ones too: a query without '&' has one. `use` may return bool:
// false stops.
template <typename Use>
void for_each_param(std::string_view query, Use&& use) {
  while (true) {
    const std::size_t end = query.find('&');
    const std::string_view param = query.substr(0, end);
    if constexpr (std::is_void_v<decltype(use(param))>) {
      use(param);
    } else if (!use(param)) {
      return;
    }
    if (end == std::string_view::npos) return;
    query.remove_prefix(end + 1);
  }
}
// The name as it is written.
constexpr std::string_view raw_param_name(std::string_view param) {
  return param.substr(0, param.find('='));
}

// The decoded name of a parameter: "a%20b=c" and "a+b=c" have "a b". Appends.
void append_param_name(std::string& out, std::string_view param);

// The decoded value of the first parameter of that (decoded) name.
std::optional<std::string> find_param(std::string_view query, std::string_view name);

// The decoded values of all parameters of that name, in their order; the decoded names, each once.
std::vector<std::string> find_params(std::string_view query, std::string_view name);
std::vector<std::string> param_names(std::string_view query);

// What is asked of a query: no tracking parameters, no session ids, none without name and value, names in order.
struct ParamChecks {
  bool tracking = false, session = false, empty = false, order = false;
};
// True: the query is so already. False: it may be, or may not: the functions below tell. The short way past them, for
// most queries: one pass, nothing decoded.
bool are_params_settled(std::string_view query, const ParamChecks& checks);

// Appends `query` without the parameters for which `drop` holds. Returns whether any is left; a query
// without any was one empty parameter, which stays.
bool append_params_without(
    std::string& out, std::string_view query,
    const std::function<bool(std::string_view name, std::string_view param)>& drop);

// Appends the parameters that have a name or a value, "=" having neither. Returns whether there are any.
bool append_params_not_empty(std::string& out, std::string_view query);
// Appends each parameter the first time that it stands there, byte for byte. Takes 12 bytes a parameter.
void append_params_once(std::string& out, std::string_view query);

bool are_params_sorted(std::string_view query);
// Appends the parameters in order of their names; those of one name keep theirs. Takes 12 bytes a parameter.
void append_params_sorted(std::string& out, std::string_view query);

// Appends a path without its session ids: ";jsessionid=..." at segments, and ASP.NET's "(S(...))" segments.
void append_path_without_sessions(std::string& out, std::string_view path);

}  // namespace spinneret

#endif  // SPINNERET_URL_PARAMS_H_
