// SPDX-License-Identifier: Apache-2.0
// The record: one line, `URL [TAB key=value]...` (man 7 spinneret-record).
//
// In values tab, LF, CR, backslash and NUL are escaped as \t \n \r \\ \0, and nothing else is. A
// key may repeat; the order of fields is kept. A column that is not key=value is kept byte for byte
// as an unknown field, which has no key to be found by.
//
//   Record record;                       // reuse it: no allocation once warm
//   record.parse(line);                  // views into `line`, which must outlive the record's use
//   record.set("status", "200");         // replaces, or appends before `outcome`
//   record.set_outcome("ok");            // always the last field: see below
//   record.append_to(out);
//
// `outcome` is always written last. A record that was torn off (its writer was killed in the middle
// of a write) therefore has no valid outcome and cannot be taken for a settled one.
//
// Cost: one pass for parse, about 1 ns a byte for escapes. Not thread-safe.
#ifndef SPINNERET_IO_RECORD_H_
#define SPINNERET_IO_RECORD_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spinneret {

// Whether `key` is of the form [a-z][a-z0-9.-]*.
bool is_field_key(std::string_view key);

// Appends `value` with tab, LF, CR, backslash and NUL escaped.
void append_escaped(std::string& out, std::string_view value);
// Appends `raw` with its escapes undone; an unknown escape is kept as it is.
void append_unescaped(std::string& out, std::string_view raw);

// Returns column 1 of a line.
inline std::string_view record_url(std::string_view line) {
  return line.substr(0, line.find('\t'));
}

// Whether the line has an `outcome` field. Takes constant time if that is the last field, as the
// tools write it.
bool is_settled(std::string_view line);

// Returns the raw (still escaped) value of the first field `key`, without parsing the other fields.
std::optional<std::string_view> find_raw_field(std::string_view line, std::string_view key);

class Record {
 public:
  struct Field {
    std::string_view key;  // empty for a column that is not key=value, which is whole in `raw`
    std::string_view raw;  // value, escaped
  };

  // Parses a line. Every view is into `line`.
  void parse(std::string_view line);
  // Makes this an empty record for `url`, which is copied, so it may be a view that this record has
  // returned.
  void reset(std::string_view url);

  std::string_view url() const { return url_; }
  void set_url(std::string_view url);

  const std::vector<Field>& fields() const { return fields_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  // The first field of that key, escaped as in the line; an empty view if there is none.
  std::string_view raw(std::string_view key) const;
  // The first field of that key, unescaped. The view is into the line where nothing was escaped,
  // otherwise into the record; it is valid until the record changes.
  std::optional<std::string_view> get(std::string_view key);
  bool settled() const { return has("outcome"); }

  // Replaces the first field of that key and removes its repeats; where there is none, inserts it
  // before `outcome`. `value` is raw bytes and is escaped here. Key and value are copied.
  void set(std::string_view key, std::string_view value);
  void set_unsigned(std::string_view key, unsigned long long value);
  // Appends another field of that key (before `outcome`, which a record has only once).
  void add(std::string_view key, std::string_view value);
  // Removes every field of that key.
  void remove(std::string_view key);
  // Sets `outcome` and moves it to the end.
  void set_outcome(std::string_view outcome);

  // Appends the record as a line without terminator.
  void append_to(std::string& out) const;

 private:
  const Field* find(std::string_view key) const;
  // Returns a copy that lives until parse() or reset().
  std::string_view keep(std::string_view bytes);
  std::string_view keep_escaped(std::string_view value);
  void insert(Field field);

  std::string_view url_;
  std::vector<Field> fields_;
  // Holds the bytes that were set. A block never grows past its capacity, so that views stay valid;
  // blocks are kept for reuse.
  std::vector<std::string> blocks_;
  std::size_t blocks_in_use_ = 0;
  std::string scratch_;
};

}  // namespace spinneret

#endif  // SPINNERET_IO_RECORD_H_
