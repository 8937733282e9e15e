// SPDX-License-Identifier: Apache-2.0
#include "loop/stage_ledger.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/number.h"

namespace spinneret::loop {
namespace {

using namespace std::string_view_literals;

using report::StageCost;

constexpr std::int64_t kLookMs = 10'000;
// Bounds the table in the report, since a pipeline may start ever new commands.
constexpr std::size_t kMostStages = 32;
constexpr std::size_t kMostNameBytes = 60;
constexpr std::size_t kMostFileBytes = 1 << 16;
constexpr std::string_view kOthers = "others";

std::string proc_path(pid_t pid, std::string_view file) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(file);
}

std::string read_proc(pid_t pid, std::string_view file) {
  Result<std::string> text = read_file(proc_path(pid, file), kMostFileBytes);
  return text.ok() ? text.take() : std::string();
}

std::string_view cut_field(std::string_view& rest, char end) {
  const std::size_t size = std::min(rest.find(end), rest.size());
  const std::string_view field = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return field;
}

// Returns the file name in a path.
std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether this is an interpreter. Its process is named after the script: "crawl", not "bash".
bool is_interpreter(std::string_view name) {
  constexpr std::string_view kOnes[] = {"bash", "sh", "dash", "zsh", "python3", "perl", "ruby"};
  return std::find(std::begin(kOnes), std::end(kOnes), name) != std::end(kOnes);
}

// Returns a word fit for display, since a command line may contain anything.
std::string shown(std::string_view word) {
  std::string out(word.substr(0, kMostNameBytes));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return out;
}

// Returns a value such as that of "rchar: 123" in /proc/PID/io.
std::uint64_t io_value(std::string_view io, std::string_view name) {
  while (!io.empty()) {
    std::string_view line = cut_field(io, '\n');
    if (cut_field(line, ':') != name || line.empty()) continue;
    return parse_unsigned(line.substr(1)).value_or(0);
  }
  return 0;
}

bool parse_line(std::string_view line, StageCost& out) {
  std::array<std::uint64_t, 3> numbers = {};
  for (std::uint64_t& number : numbers) {
    const std::optional<std::uint64_t> value = parse_unsigned(cut_field(line, '\t'));
    if (!value) return false;
    number = *value;
  }
  out = {std::string(line), numbers[0], numbers[1], numbers[2]};
  return !out.name.empty();
}

}  // namespace

StageLedger::StageLedger(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) past_ = read_stage_costs(path_);
}

// Returns false if the process is gone.
bool StageLedger::read_process(pid_t pid, Process& out) {
  const std::string stat = read_proc(pid, "stat");
  // The name in brackets may contain brackets and spaces; after the last bracket are only numbers
  // (proc(5)).
  std::string_view rest = std::string_view(stat).substr(std::min(stat.rfind(')'), stat.size()));
  cut_field(rest, ' ');
  std::array<std::uint64_t, 20> fields = {};  // from the third field on
  for (std::uint64_t& field : fields) field = parse_unsigned(cut_field(rest, ' ')).value_or(0);
  out.started = fields[19];
  if (out.started == 0) return false;
  const auto ticks = static_cast<std::uint64_t>(std::max(sysconf(_SC_CLK_TCK), 1L));
  out.cost.cpu_ms = (fields[11] + fields[12]) * 1000 / ticks;
  // Ticks are 10 ms, and cover all threads; for the first thread the kernel may know nanoseconds.
  const std::string schedule = read_proc(pid, "schedstat");
  const std::uint64_t ns = parse_unsigned(schedule.substr(0, schedule.find(' '))).value_or(0);
  out.cost.cpu_ms = std::max(out.cost.cpu_ms, ns / 1'000'000);
  const std::string io = read_proc(pid, "io");
  out.cost.read = io_value(io, "rchar");
  out.cost.written = io_value(io, "wchar");
  const std::string command = read_proc(pid, "cmdline");
  std::string_view words = command;
  std::string_view name = name_in(cut_field(words, '\0'));
  const bool is_interpreted = is_interpreter(name);
  if (is_interpreted && words.starts_with("-p\0"sv)) words.remove_prefix(3);  // see scripts/crawl
  if (is_interpreted && words.starts_with("--\0"sv)) words.remove_prefix(3);
  const bool is_script = is_interpreted && !words.empty() && words[0] != '-';
  if (is_script) name = name_in(cut_field(words, '\0'));
  out.command = shown(name);
  const std::string_view option = cut_field(words, '\0');
  // Subshells of a script have the same words, and count as one stage with it.
  out.option = option.starts_with('-') && !is_script ? shown(option) : "";
  return !out.command.empty();
}

void StageLedger::see(pid_t pid, std::map<pid_t, Process>& alive) {
  Process process;
  if (!read_process(pid, process)) return;
  const auto before = alive_.find(pid);
  if (before != alive_.end() && before->second.started == process.started) alive_.erase(before);
  alive[pid] = std::move(process);
}

void StageLedger::name_all() {
  std::map<std::string, std::size_t> count;
  for (const auto& [pid, process] : alive_) ++count[process.command];
  for (auto& [pid, process] : alive_) {
    process.cost.name = process.command;
    if (count[process.command] > 1 && !process.option.empty() && pid != getpid())
      process.cost.name += " " + process.option;
  }
}

void StageLedger::add(const StageCost& cost, std::vector<StageCost>& sums) const {
  const auto named = [&sums](std::string_view name) {
    return std::find_if(sums.begin(), sums.end(),
                        [name](const StageCost& each) { return each.name == name; });
  };
  auto at = named(cost.name);
  if (at == sums.end() && sums.size() >= kMostStages) at = named(kOthers);
  if (at == sums.end()) {
    sums.push_back(cost);
    if (sums.size() > kMostStages) sums.back().name = kOthers;
    return;
  }
  at->cpu_ms += cost.cpu_ms;
  at->read += cost.read;
  at->written += cost.written;
}

Status StageLedger::look(pid_t group, std::int64_t now_ms, bool at_once) {
  if (path_.empty() || group < 1) return {};
  if (looked_ms_ == 0) looked_ms_ = now_ms;
  if (!at_once && now_ms - looked_ms_ < kLookMs) return {};
  looked_ms_ = now_ms;
  std::map<pid_t, Process> alive;
  see(getpid(), alive);
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir("/proc"), closedir);
  if (!handle) return {};
  for (const dirent* item = readdir(handle.get()); item != nullptr; item = readdir(handle.get())) {
    const auto pid = static_cast<pid_t>(parse_unsigned(item->d_name).value_or(0));
    if (pid > 0 && pid != getpid() && getpgid(pid) == group) see(pid, alive);
  }
  for (const auto& [pid, process] : alive_) add(process.cost, past_);
  alive_ = std::move(alive);
  name_all();
  std::vector<StageCost> sums = past_;
  for (const auto& [pid, process] : alive_) add(process.cost, sums);
  std::string text;
  for (const StageCost& sum : sums) {
    for (const std::uint64_t number : {sum.cpu_ms, sum.read, sum.written})
      text += std::to_string(number) + '\t';
    text += sum.name + '\n';
  }
  return write_file_atomic(path_, text);
}

std::vector<StageCost> read_stage_costs(const std::string& path) {
  std::vector<StageCost> out;
  const Result<std::string> text = read_file(path, kMostFileBytes);
  if (!text.ok()) return out;
  std::string_view rest = *text;
  StageCost cost;
  while (!rest.empty()) {
    if (parse_line(cut_field(rest, '\n'), cost)) out.push_back(cost);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const StageCost& a, const StageCost& b) { return a.cpu_ms > b.cpu_ms; });
  return out;
}

}  // namespace spinneret::loop
