// SPDX-License-Identifier: Apache-2.0
// Lists of other programs. The first line is one digit, the form of the list, then a blank and a
// URL; the rest is the list.
//   0 to 5  the forms of ListForm: what is converted is a policy without mistakes, line by line as
//           well as at once; for what is not converted a reason is given; the policy, checked and
//           asked about the URL, gives a verdict
//   6       a list of parameters: the stripped URL has the same host, and is no longer than before
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "fuzz/turn.h"
#include "policy/builder.h"
#include "policy/convert.h"
#include "policy/judge.h"
#include "policy/lint.h"
#include "policy/params_list.h"

namespace {

using namespace spinneret;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_list(policy::ListForm form, std::string_view list, const Url& url, const Turn& turn) {
  const policy::ListConverter converter(form);
  std::string text(converter.header());
  for (int lines = 0; !list.empty() && lines < 32; ++lines) {
    std::string out;
    std::string why;
    const bool converted = converter.add_line(cut(list, '\n'), out, why);
    require(converted ? true : !why.empty() && out.empty());
    require(out.empty() || out.back() == '\n');
    text += out;
    if (!turn.is(0, 2) || out.empty()) continue;
    policy::PolicyBuilder one;
    one.add_text(out, "one");
    one.build();
    require(one.problems().empty());
  }
  if (!turn.is(1, 2)) return;
  policy::PolicyBuilder builder;
  builder.keep_words();
  builder.add_text(text, "list");
  const policy::Policy policy = builder.build();
  require(builder.problems().empty());
  if (turn.is_one_in(4)) policy::lint(policy);
  policy::Judge judge(policy, 1'795'132'800'000);
  judge.judge(url, {});
  require(!judge.explain().empty());
}

void check_params(std::string_view list, const Url& url) {
  std::vector<policy::Problem> left_out;
  const Result<policy::ParamsList> read = policy::ParamsList::read(list, "list", left_out);
  require(read.ok() || !read.message().empty());
  std::string out;
  if (!read.ok() || !read->strip(url, out)) return;
  Url stripped;
  require(parse(out, stripped) && stripped.href() == out && stripped.host() == url.host());
  require(out.size() < url.href().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string_view first = cut(input, '\n');
  if (first.size() < 2 || first[0] < '0' || first[0] > '6') return 0;
  Url url;
  if (!parse(first.substr(2), url)) parse("http://h.example/a?gclid=1&b#c", url);
  if (first[0] == '6') {
    check_params(input, url);
  } else {
    check_list(static_cast<policy::ListForm>(first[0] - '0'), input, url, Turn(input));
  }
  return 0;
}
