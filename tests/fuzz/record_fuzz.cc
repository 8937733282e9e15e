// SPDX-License-Identifier: Apache-2.0
// The record codec and the reader under it. The first byte of the input chooses how it is cut; the
// rest is a stream. Beyond "no crash":
//   - lines are those of a split at each terminator, whatever the block size, by lines and by runs
//     alike;
//   - a record prints the line that it was parsed from, byte for byte;
//   - is_settled and find_raw_field agree with the parsed record;
//   - values come back from escape and unescape; what is written holds no separator;
//   - set and set_outcome keep outcome last and every other column as it was;
//   - --json is made of printable UTF-8 alone;
//   - the rows of a table come back as they were.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/utf8.h"
#include "fuzz/turn.h"
#include "io/json.h"
#include "io/reader.h"
#include "io/record.h"
#include "io/rows.h"

namespace {

using namespace spinneret;

void check(bool holds) {
  if (!holds) std::abort();
}

struct Cut {
  char terminator;
  std::size_t block;
  std::size_t max_line;
};

// The lines; kTooLong stands for a line that was too long.
using Lines = std::vector<std::string>;
const std::string kTooLong("\n\0too long", 10);

Lines expected_lines(std::string_view text, const Cut& cut) {
  Lines out;
  while (!text.empty()) {
    const std::size_t end = text.find(cut.terminator);
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (cut.terminator == '\n' && line.ends_with('\r')) line.remove_suffix(1);
    out.emplace_back(line.size() > cut.max_line ? kTooLong : line);
  }
  return out;
}

Lines read_lines(const Fd& file, const Cut& cut) {
  lseek(file.get(), 0, SEEK_SET);
  LineReader reader(file.get(),
                    {.terminator = cut.terminator, .max_line = cut.max_line, .block = cut.block});
  Lines out;
  std::string_view line;
  while (true) {
    const LineReader::Event event = reader.next(line);
    if (event == LineReader::Event::kEnd) return out;
    check(event == LineReader::Event::kLine || event == LineReader::Event::kTooLong);
    out.emplace_back(event == LineReader::Event::kLine ? line : std::string_view(kTooLong));
    check(reader.line_number() == out.size());
  }
}

Lines read_runs(const Fd& file, const Cut& cut) {
  lseek(file.get(), 0, SEEK_SET);
  LineReader reader(file.get(),
                    {.terminator = cut.terminator, .max_line = cut.max_line, .block = cut.block});
  Lines out;
  std::string_view run;
  while (true) {
    const LineReader::Event event = reader.next_run(run);
    if (event == LineReader::Event::kEnd) return out;
    if (event == LineReader::Event::kTooLong) {
      out.push_back(kTooLong);
    } else {
      const Lines lines = expected_lines(run, {cut.terminator, 0, SIZE_MAX});
      reader.add_lines(lines.size());
      out.insert(out.end(), lines.begin(), lines.end());
    }
    check(reader.line_number() == out.size());
  }
}

void check_escapes(std::string_view value) {
  std::string escaped;
  append_escaped(escaped, value);
  check(escaped.find_first_of(std::string_view("\t\n\r\0", 4)) == std::string::npos);
  std::string back;
  append_unescaped(back, escaped);
  check(back == value);
}

void check_json(const Record& record) {
  std::string json;
  append_json(json, record);
  check(json.starts_with("{\"url\":") && json.ends_with('}'));
  for (std::string_view rest = json; !rest.empty();) {
    char32_t c = 0;
    const std::size_t length = utf8_sequence(rest, &c);
    check(length != 0 && c >= 0x20 && (c < 0x7F || c >= 0xA0));
    rest.remove_prefix(length);
  }
}

// A table that nothing changes comes out as it went in, however it is cut.
void check_rows(std::string_view text, TableShape::Form form) {
  TableShape shape{.form = form, .fields = {form == TableShape::Form::kJson ? "url" : "2"}};
  RowReader reader(shape);
  RowWriter writer(shape, RowWriter::OnError::kKeep, [](const RowWriter::Report&) {});
  std::string records;
  reader.begin_file(1);
  reader.take(text, records);
  reader.finish(records);
  std::string out;
  for (std::string_view rest = records; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    check(end != std::string_view::npos);
    writer.append(out, rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  // A URL loses tabs and line ends.
  check(out.size() <= 6 * text.size() + 1);
  if (form == TableShape::Form::kTsv && text.find('\r') == std::string_view::npos &&
      text.find('\0') == std::string_view::npos) {
    check(out == std::string(text) + (text.empty() || text.ends_with('\n') ? "" : "\n"));
  }
}

std::string text_of(const Record& record) {
  std::string out;
  record.append_to(out);
  return out;
}

void check_record(std::string_view line) {
  Record record;
  record.parse(line);
  check(text_of(record) == line);
  check(record.url() == record_url(line));
  check(record.settled() == is_settled(line));
  for (const Record::Field& field : record.fields()) {
    if (field.key.empty()) continue;
    check(is_field_key(field.key));
    check(find_raw_field(line, field.key) == record.raw(field.key));
  }
  check_json(record);

  const std::size_t columns = record.fields().size();
  const bool had = record.has("k");
  record.set("k", line);
  check(record.get("k") == line);
  check(had ? record.fields().size() <= columns : record.fields().size() == columns + 1);
  record.set_outcome("ok");
  const std::string settled = text_of(record);
  check(settled.ends_with("\toutcome=ok") && is_settled(settled));
  Record again;
  again.parse(settled);
  check(again.get("k") == line);
  again.remove("k");
  check(!again.has("k") && again.get("outcome") == "ok");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const Fd file(memfd_create("fuzz", MFD_CLOEXEC));
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned how = data[0];
  constexpr std::size_t kBlocks[] = {1, 2, 3, 7, 16, 61, 256, 4096};
  constexpr std::size_t kLimits[] = {SIZE_MAX, 0, 1, 5};
  const Cut cut{(how & 1) != 0 ? '\0' : '\n', kBlocks[(how >> 1) & 7], kLimits[(how >> 4) & 3]};

  const Lines lines = expected_lines(text, cut);
  const Turn turn(text);
  // With blocks of a byte these are hundreds of system calls.
  if (turn.is_one_in(8)) {
    check(ftruncate(file.get(), 0) == 0 && lseek(file.get(), 0, SEEK_SET) == 0);
    check(write_all(file.get(), text) == 0);
    check(read_lines(file, cut) == lines);
    check(read_runs(file, cut) == lines);
  }
  if (turn.is(0, 5)) {
    for (const std::string& line : lines) check_record(line);
  }
  if (turn.is(1, 5)) check_rows(text, TableShape::Form::kCsv);
  if (turn.is(2, 5)) check_rows(text, TableShape::Form::kTsv);
  if (turn.is(3, 5)) check_rows(text, TableShape::Form::kJson);
  if (turn.is(4, 5)) {
    check_escapes(text);
    std::string unescaped;
    append_unescaped(unescaped, text);
    check(unescaped.size() <= text.size());
  }
  return 0;
}
