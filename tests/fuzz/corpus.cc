// SPDX-License-Identifier: Apache-2.0
#include "fuzz/corpus.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/number.h"

namespace spinneret {
namespace {

constexpr std::string_view kFirstLine = "spinneret-corpus 1\n";
constexpr std::size_t kDigits = 40;  // of a SHA-1

bool is_name(std::string_view name) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name[0] != '.' &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

bool is_fuzzers(std::string_view name) {
  return name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool comes_first(const CorpusInput& a, const CorpusInput& b) {
  return std::tuple(a.name.empty(), std::string_view(a.name), a.bytes.size(),
                    std::string_view(a.bytes)) <
         std::tuple(b.name.empty(), std::string_view(b.name), b.bytes.size(),
                    std::string_view(b.bytes));
}

Error not_a_corpus(const char* why, std::size_t at) {
  return Error{"byte " + std::to_string(at) + ": " + why};
}

// Parses the input at `at`, and moves `at` behind it.
Result<CorpusInput> parse_input(std::string_view packed, std::size_t& at) {
  const std::size_t end = packed.find('\n', at);
  if (end == std::string_view::npos) return not_a_corpus("a line without an end", at);
  const std::string_view line = packed.substr(at, end - at);
  const std::size_t space = line.find(' ');
  const auto length = parse_unsigned(line.substr(0, space));
  if (!length || std::to_string(*length) != line.substr(0, space))
    return not_a_corpus("no length", at);
  const std::string_view name = space == std::string_view::npos ? "" : line.substr(space + 1);
  if (space != std::string_view::npos && (!is_name(name) || is_fuzzers(name))) {
    return not_a_corpus("no name", at + space + 1);
  }
  const std::size_t left = packed.size() - end - 1;
  if (*length >= left) return not_a_corpus("an input that is cut short", at);
  if (packed[end + 1 + *length] != '\n')
    return not_a_corpus("no end of line behind an input", end + 1 + *length);
  at = end + 1 + *length + 1;
  return CorpusInput{std::string(name), std::string(packed.substr(end + 1, *length))};
}

}  // namespace

std::string pack_corpus(Corpus inputs) {
  std::sort(inputs.begin(), inputs.end(), comes_first);
  std::string packed(kFirstLine);
  for (const CorpusInput& input : inputs) {
    packed += std::to_string(input.bytes.size());
    if (!input.name.empty()) packed += " " + input.name;
    packed += "\n" + input.bytes + "\n";
  }
  return packed;
}

Result<Corpus> parse_corpus(std::string_view packed) {
  if (!packed.starts_with(kFirstLine))
    return not_a_corpus("not a spinneret-corpus of version 1", 0);
  Corpus inputs;
  for (std::size_t at = kFirstLine.size(); at != packed.size();) {
    auto input = parse_input(packed, at);
    if (!input.ok()) return input.error();
    inputs.push_back(input.take());
  }
  return inputs;
}

Result<Corpus> read_corpus_folder(const std::string& folder) {
  Corpus inputs;
  std::error_code code;
  std::filesystem::directory_iterator files(folder, code);
  for (; !code && files != std::filesystem::directory_iterator(); files.increment(code)) {
    if (!files->is_regular_file(code)) continue;
    std::string name = files->path().filename();
    if (!is_name(name)) return Error{"\"" + files->path().string() + "\" is no name of an input"};
    auto bytes = read_file(files->path());
    if (!bytes.ok()) return bytes.error();
    if (is_fuzzers(name)) name.clear();
    inputs.push_back({std::move(name), bytes.take()});
  }
  if (code) return system_error("cannot read " + folder, code.value());
  return inputs;
}

Status write_corpus_folder(const Corpus& inputs, const std::string& folder) {
  std::size_t number = 0;
  for (const CorpusInput& input : inputs) {
    std::string name = input.name;
    if (name.empty()) {
      const std::string digits = std::to_string(number++);
      name = std::string(kDigits - digits.size(), '0') + digits;
    }
    if (auto status = write_file_atomic(folder + "/" + name, input.bytes); !status.ok())
      return status;
  }
  return {};
}

}  // namespace spinneret
