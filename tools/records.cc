// SPDX-License-Identifier: Apache-2.0
// records: selects, projects, counts and converts records. lib/io/expression and man records say
// what an expression means.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/excerpt.h"
#include "base/outcome.h"
#include "cli/tool.h"
#include "io/expression.h"
#include "io/field.h"
#include "io/record.h"
#include "io/table.h"
#include "page_stream.h"
#include "policy/pattern_set.h"
#include "records_pages.h"
#include "records_table.h"
#include "url/parse.h"

namespace {

using namespace spinneret;

constexpr cli::Option kOptions[] = {
    {'w', "where", "EXPR", "pass records for which EXPR holds"},
    {0, "links", nullptr, "pass links: records without an outcome"},
    {0, "results", nullptr, "pass results: records with an outcome"},
    {'n', "head", "N", "stop after N records"},
    {'c', "count", nullptr, "print how many records pass, and none of them"},
    {0, "count-by", "FIELD", "print how many pass for each value of FIELD"},
    {0, "csv", nullptr, "print --fields as CSV, with a line of names"},
    {0, "from", "FORMAT", "read a table: csv, tsv or json (a line each)", "json|csv|tsv"},
    {0, "field", "N|NAME", "the URL is in this column of a table (url)"},
    {0, "header", nullptr, "with --field=N: the first row names the columns"},
    {0, "names", "LIST", "columns of a table that has no row of names"},
    {0, "json-key", "KEY", "the URL is at a.b[0] of a JSON object a line"},
    {0, "from-dir", "PLACE", "records of files, a tar, WARC, WACZ, as fetched"},
    {'b', "base", "URL", "URL at which PLACE is published"},
    {0, "pretty-urls", nullptr, "x.html of PLACE is found at x, too"},
};
constexpr cli::ToolSpec kTool{
    "records", "select, count and convert records by their fields", "[OPTION]... [URL|FILE]...",
    kOptions,
    "  crawl https://example.org/ | records --where 'outcome=ok and type~^text/'\n"
    "  fetch https://example.org/ | extract-links | records --links --fields=url\n"
    "  records --from=csv --field=link list.csv | url-normalize\n"};

// Reports a field that no record had.
void tell_field(cli::Tool& tool, const std::string& option, std::string_view name) {
  if (const std::string said = mistyped_field(name); !said.empty()) tool.notice(option + said);
}

// Decides which records are printed.
class Selection {
 public:
  explicit Selection(const cli::Options& options)
      : links_(options.has("links")), results_(options.has("results")) {
    if (links_ && results_) options.usage_error("no record is of both --links and --results");
    for (const std::string& text : options.all("where")) {
      auto expression = Expression::compile(text, policy::compile_pattern);
      if (!expression.ok()) options.usage_error("--where: " + expression.message());
      expressions_.push_back(expression.take());
    }
  }

  // Reports names and outcomes in --where that no record had.
  void tell_mistypings(cli::Tool& tool) const {
    std::vector<std::string_view> outcomes;
    for (const OutcomeInfo& info : all_outcomes()) outcomes.push_back(info.name);
    for (const Expression& each : expressions_) {
      for (const std::string_view name : each.unmet()) tell_field(tool, "--where", name);
      for (const std::string_view word : each.compared_with("outcome")) {
        const std::string_view meant = nearest_word(word, outcomes);
        if (!meant.empty() && meant != word)
          tool.notice("--where: there is no outcome " + excerpt(word) + ": did you mean " +
                      std::string(meant) + "?");
      }
    }
  }

  bool holds(std::string_view line) {
    if ((links_ || results_) && is_settled(line) != results_) return false;
    return std::all_of(expressions_.begin(), expressions_.end(),
                       [&](Expression& each) { return each.holds(line); });
  }

 private:
  bool links_;
  bool results_;
  std::vector<Expression> expressions_;
};

// Returns the form of the tables that are read, if any. The option names are those of all tools
// that take tables, except that --csv means the output here.
std::optional<TableReader::Form> table_form(const cli::Options& options) {
  using Form = TableReader::Form;
  std::optional<Form> form;
  if (options.has("json-key")) form = Form::kJson;
  if (options.has("from")) form = static_cast<Form>(options.choice("from", 0));
  if (form != Form::kJson && options.has("json-key"))
    options.usage_error("--json-key is of --from=json: a column of csv or tsv is --field");
  for (const char* const word : {"field", "header", "names"}) {
    const std::string name = std::string("--") + word;
    if (!options.has(word)) continue;
    if (!form) {
      options.usage_error(name + " is of a table that is read: say --from=csv or --from=tsv" +
                          (options.has("csv") ? " (--csv is what is printed)" : ""));
    }
    if (form == Form::kJson)
      options.usage_error(name + " is of --from=csv and tsv: the key of an object is --json-key");
  }
  if (options.all("field").size() > 1 || options.all("json-key").size() > 1)
    options.usage_error("a record has one URL: one --field, or one --json-key");
  if (options.has("header") && options.has("names"))
    options.usage_error("the columns are named by --header or by --names");
  return form;
}

// Reads the records that pass, as lines, whatever they were read from.
class Selected {
 public:
  explicit Selected(cli::Tool& tool)
      : tool_(tool),
        selection_(tool.options()),
        left_(tool.options().unsigned_value("head", std::numeric_limits<std::uint64_t>::max(), 1)) {
    const cli::Options& options = tool.options();
    if (const auto form = table_form(options)) table_.emplace(tool, *form);
    if (options.has("from-dir")) {
      open_folder();
    } else if (options.has("base") || options.has("pretty-urls")) {
      options.usage_error("--base and --pretty-urls are of --from-dir");
    }
  }

  void tell_mistypings() const { selection_.tell_mistypings(tool_); }

  bool next(std::string_view& line) {
    while (left_ != 0 && read(line)) {
      if (!selection_.holds(line)) continue;
      --left_;
      return true;
    }
    return false;
  }

 private:
  bool read(std::string_view& line) {
    if (pages_) return next_page(line);
    if (!table_) return next_line(line);
    if (!table_->next(record_)) return false;
    line_.clear();
    record_.append_to(line_);
    line = line_;
    return true;
  }

  bool next_line(std::string_view& line) {
    if (!tool_.next(line)) return false;
    const cli::Inputs& inputs = tool_.inputs();
    if (inputs.line_number() == 1 && !inputs.is_argument())
      look_at_first_line(tool_, inputs.name(), line);
    return true;
  }

  void open_folder();
  bool next_page(std::string_view& line);

  cli::Tool& tool_;
  Selection selection_;
  std::uint64_t left_;
  std::optional<TableReader> table_;
  Record record_;
  std::string line_;
  std::optional<PageRecords> pages_;  // of --from-dir
  std::string lines_;                 // records as lines; those from at_ on are to be given
  std::size_t at_ = 0;
};

void Selected::open_folder() {
  if (table_ || !tool_.options().operands().empty())
    tool_.options().usage_error("--from-dir reads its folder alone: without --from and operands");
  pages_.emplace(tool_);
}

bool Selected::next_page(std::string_view& line) {
  if (at_ == lines_.size()) {
    lines_.clear();
    at_ = 0;
    if (!pages_->more(lines_)) return false;
  }
  line = std::string_view(lines_).substr(at_, lines_.find('\n', at_) - at_);
  at_ += line.size() + 1;
  return true;
}

int count(cli::Tool& tool, Selected& selected) {
  std::uint64_t passed = 0;
  for (std::string_view line; selected.next(line);) ++passed;
  tool.out().write(std::to_string(passed));
  tool.out().put(tool.terminator());
  return 0;
}

// Prints VALUE TAB count=N for each value, the most frequent first; VALUE is empty where missing.
int count_by(cli::Tool& tool, Selected& selected, const std::string& field) {
  if (!is_field_key(field))
    tool.options().usage_error("--count-by: \"" + field + "\" is not the name of a field");
  std::unordered_map<std::string, std::uint64_t> counts;
  std::string key;
  for (std::string_view line; selected.next(line);) {
    key = field == "url" ? record_url(line) : find_raw_field(line, field).value_or("");
    ++counts[key];
  }
  if (counts.size() == 1 && counts.begin()->first.empty()) tell_field(tool, "--count-by", field);
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const bool json = tool.options().has("json");  // JSON has escapes of its own
  Record record;
  for (const auto& [value, number] : sorted) {
    append_unescaped(key = {}, value);
    record.reset(json && field != "url" ? key : value);
    record.set_unsigned("count", number);
    tool.writer().write(record);
  }
  return 0;
}

// Prints values without escapes, missing ones as empty. Rows end in LF, as all lines here do.
int write_csv(cli::Tool& tool, Selected& selected) {
  std::vector<std::string> names;
  const std::string list = tool.options().get("fields");
  for (std::string_view rest = list; !rest.empty();) names.emplace_back(cut(rest, ','));
  if (names.empty())
    tool.options().usage_error("--csv needs --fields=LIST: a stream has no columns of its own");
  std::string row;
  const auto add_cell = [&](bool first, std::string_view value) {
    if (!first) row += ',';
    append_csv_cell(row, value);
  };
  const auto write_row = [&] {
    if (row.empty()) row = "\"\"";  // one empty cell, unlike an empty line
    tool.out().write(row);
    tool.out().put('\n');
    row.clear();
  };
  for (const std::string& name : names) add_cell(&name == &names.front(), name);
  write_row();
  Record record;
  std::vector<char> found(names.size(), 0);
  bool any = false;
  for (std::string_view line; selected.next(line); any = true) {
    record.parse(line);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto value = names[i] == "url" ? record.url() : record.get(names[i]);
      if (value) found[i] = 1;
      add_cell(i == 0, value.value_or(""));
    }
    write_row();
  }
  for (std::size_t i = 0; any && i < names.size(); ++i)
    if (found[i] == 0) tell_field(tool, "--fields", names[i]);
  return 0;
}

int print(cli::Tool& tool, Selected& selected) {
  const cli::Options& options = tool.options();
  if (options.has("count")) return count(tool, selected);
  if (options.has("count-by")) return count_by(tool, selected, options.get("count-by"));
  if (options.has("csv")) return write_csv(tool, selected);
  for (std::string_view line; selected.next(line);) tool.writer().write_line(line);
  return 0;
}

int run(cli::Tool& tool) {
  const cli::Options& options = tool.options();
  options.refuse_together(std::array<std::string_view, 3>{"count", "count-by", "csv"});
  options.refuse_together(std::array<std::string_view, 3>{"count", "json", "fields"});
  options.refuse_together(std::array<std::string_view, 2>{"csv", "null"});
  refuse_archives(tool, options.operands());
  Selected selected(tool);
  const int status = print(tool, selected);
  selected.tell_mistypings();
  return status;
}

}  // namespace

int main(int argc, char** argv) { return cli::run_tool(kTool, argc, argv, run); }
