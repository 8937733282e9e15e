// SPDX-License-Identifier: Apache-2.0
// Query parameters: found, dropped and sorted by their decoded names, and never re-encoded. The
// built-in lists of parameters that do not change the page are here, too.
#ifndef SPINNERET_URL_PARAMS_H_
#define SPINNERET_URL_PARAMS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spinneret {

// Returns whether a decoded name in lower case is on the list of tracking parameters.
bool is_tracking_param(std::string_view lower_name);
// Returns whether "name=value" is a session id: its name is on the list, or its name may mean a
// session ("sid", "token") and its value looks like an id, with 16 or more letters and digits, both
// present. The name is decoded. Every caller that asks about session ids uses this function.
bool is_session_param(std::string_view param);
bool has_session_param(std::string_view query);

// Returns the lists as lines of "tracking", tab, name. Names that are session ids only with certain
// values are listed as "session-value".
std::string params_table();

// Returns whether `text` matches a glob of '*' (any bytes) and '?' (one byte).
bool matches_glob(std::string_view glob, std::string_view text);

// Calls use(param) for each parameter, "name=value", including empty ones: a query without '&' has
// one parameter. If `use` returns bool, false stops the loop.
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
// Returns the name of a parameter as it is written.
constexpr std::string_view raw_param_name(std::string_view param) {
  return param.substr(0, param.find('='));
}

// Appends the decoded name of a parameter: that of "a%20b=c" and of "a+b=c" is "a b".
void append_param_name(std::string& out, std::string_view param);

// Returns the decoded value of the first parameter with that (decoded) name.
std::optional<std::string> find_param(std::string_view query, std::string_view name);

// Return the decoded values of all parameters with that name, in order, and the decoded names, each
// once.
std::vector<std::string> find_params(std::string_view query, std::string_view name);
std::vector<std::string> param_names(std::string_view query);

// The properties that a query is checked for: tracking parameters, session ids, parameters without
// name and value, and the order of names.
struct ParamChecks {
  bool tracking = false, session = false, empty = false, order = false;
};
// Returns true if the query certainly passes all checks. False says nothing: the functions below
// must decide. This is the fast path around them for most queries; it takes one pass and decodes
// nothing.
bool are_params_settled(std::string_view query, const ParamChecks& checks);

// Appends `query` without the parameters for which `drop` returns true. Returns whether any
// parameter is left. A query that consists of one empty parameter stays.
bool append_params_without(
    std::string& out, std::string_view query,
    const std::function<bool(std::string_view name, std::string_view param)>& drop);

// Appends the parameters that have a name or a value; "=" has neither. Returns whether there are
// any.
bool append_params_not_empty(std::string& out, std::string_view query);
// Appends the first occurrence of each parameter, byte for byte. Takes 12 bytes of memory per
// parameter.
void append_params_once(std::string& out, std::string_view query);

bool are_params_sorted(std::string_view query);
// Appends the parameters sorted by name; those with one name keep their order. Takes 12 bytes of
// memory per parameter.
void append_params_sorted(std::string& out, std::string_view query);

// Appends a path without session ids: ";jsessionid=..." at the end of segments, and ASP.NET's
// "(S(...))" segments.
void append_path_without_sessions(std::string& out, std::string_view path);

}  // namespace spinneret

#endif  // SPINNERET_URL_PARAMS_H_
