// SPDX-License-Identifier: Apache-2.0
// Patches: what is edited, and that a diff, applied to the file by its own line numbers and
// contexts, gives the edited file.
#include "check/fix.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/number.h"

namespace spinneret::check {
namespace {

// Applies a diff as patch(1) would, without its tolerance. The line behind a line without an end
// says so.
std::string patched(std::string_view bytes, std::string_view diff) {
  std::string out;
  std::size_t line = 1;  // the next line of `bytes`
  const auto take = [&bytes, &line] {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    const std::string_view taken = bytes.substr(0, end);
    bytes.remove_prefix(end);
    ++line;
    return taken;
  };
  while (!diff.empty()) {
    std::string text(cut(diff, '\n'));
    if (text.starts_with("--- ") || text.starts_with("+++ ")) continue;
    if (text.starts_with("@@ -")) {
      const std::size_t first = parse_unsigned(text.substr(4, text.find(',') - 4)).value_or(0);
      EXPECT_GE(first, line) << text;
      while (line < first && !bytes.empty()) out += take();
      continue;
    }
    text += '\n';
    if (diff.starts_with("\\ No newline at end of file\n")) {
      text.pop_back();
      cut(diff, '\n');
    }
    if (text.front() == '+') {
      out += text.substr(1);
      continue;
    }
    EXPECT_EQ(take(), text.substr(1));
    if (text.front() == ' ') out += text.substr(1);
  }
  return out.append(bytes);
}

std::string edited(std::string bytes, const std::vector<Edit>& edits) {
  for (std::size_t i = edits.size(); i-- != 0;)
    bytes.replace(edits[i].offset, edits[i].size, edits[i].text);
  return bytes;
}

TEST(Diff, PutToTheFileGivesTheEditedFile) {
  std::mt19937 random(1);
  for (int round = 0; round != 5000; ++round) {
    std::string bytes;
    for (std::size_t lines = 1 + random() % 40; lines != 0; --lines)
      bytes += std::string(random() % 12, static_cast<char>('a' + random() % 26)) + "\n";
    if (random() % 3 == 0) bytes += "no end";
    std::vector<Edit> edits;
    for (std::size_t at = random() % 30; at < bytes.size(); at += 1 + random() % 60) {
      const std::size_t room = std::min(bytes.find('\n', at), bytes.size()) - at;
      if (room == 0) continue;
      edits.push_back({at, 1 + random() % room, std::string(random() % 5, 'X') + "Y"});
      at += edits.back().size;
    }
    std::string diff;
    append_diff(diff, "a", bytes, edits);
    EXPECT_EQ(diff.empty(), edits.empty());
    ASSERT_EQ(patched(bytes, diff), edited(bytes, edits)) << bytes << "\n" << diff;
    // The edits may come in any order, and twice.
    std::vector<Edit> twice = edits;
    twice.insert(twice.end(), edits.rbegin(), edits.rend());
    std::string again;
    append_diff(again, "a", bytes, twice);
    ASSERT_EQ(again, diff);
  }
}

TEST(Diff, NamesAsGitWritesThem) {
  const auto name_in = [](std::string_view path) {
    std::string diff;
    append_diff(diff, path, "a\n", {{0, 1, "b"}});
    return diff.substr(4, diff.find('\n') - 4);
  };
  EXPECT_EQ(name_in("d/a.md"), "a/d/a.md");
  EXPECT_EQ(name_in("./a.md"), "a/a.md");
  EXPECT_EQ(name_in(".//./a.md"), "a/a.md");
  EXPECT_EQ(name_in("/abs/a.md"), "a/abs/a.md");
  EXPECT_EQ(name_in("a b.md"), "a/a b.md\t");
  EXPECT_EQ(name_in("a\"\\\n\x1B\xC3\xA9.md"), "\"a/a\\\"\\\\\\012\\033\\303\\251.md\"");
}

TEST(Diff, OfNothingIsNothing) {
  std::string diff;
  append_diff(diff, "a", "a\n", {});
  append_diff(diff, "a", "", {});
  EXPECT_EQ(diff, "");
}

TEST(LineBegins, BehindAMarkOfTheByteOrderAndEachLineFeed) {
  EXPECT_EQ(line_begins(""), (std::vector<std::size_t>{0}));
  EXPECT_EQ(line_begins("a\n\nb"), (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(line_begins("\xEF\xBB\xBF"
                        "a\r\n"),
            (std::vector<std::size_t>{3, 6}));
}

// Whatever a finding says, an edit lies in the bytes, and replaces the target.
TEST(Fix, APlaceThatIsNotThereIsNone) {
  const std::string text = "<a href=\"https://h/a\">\n[x](https://h/a)\n";
  const std::vector<std::size_t> lines = line_begins(text);
  std::size_t edits = 0;
  for (const std::uint64_t line : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                   std::uint64_t{3}, std::uint64_t{4}, UINT64_MAX}) {
    for (std::uint64_t column = 0; column != 40; ++column) {
      for (const std::string_view tag : {"a@href", "md@link", "x", "", "a@"}) {
        Finding finding;
        finding.verdict = Verdict::kMoved;
        finding.target = "https://h/a";
        finding.location = "https://n/";
        finding.tag = tag;
        finding.line = line;
        finding.column = column == 39 ? UINT64_MAX : column;
        const auto edit = fix_of(finding, text, lines);
        if (!edit) continue;
        ++edits;
        EXPECT_EQ(text.substr(edit->offset, edit->size), "https://h/a");
        EXPECT_EQ(edit->text, "https://n/");
        finding.verdict = Verdict::kDead;
        EXPECT_FALSE(fix_of(finding, text, lines));
      }
    }
  }
  EXPECT_GE(edits, 2U);
}

// A diff of such an edit removed lines that were not there.
TEST(Fix, BugATargetOverTwoLines) {
  const std::string text = "[a]: <https://h/a\nb>\n";
  Finding finding;
  finding.verdict = Verdict::kMoved;
  finding.target = "https://h/a\nb";
  finding.location = "https://n/";
  finding.tag = "md@link";
  finding.line = 1;
  finding.column = text.find("https") + 1;
  EXPECT_FALSE(fix_of(finding, text, line_begins(text)));
}

// A text that is cut off anywhere is edited as before, or not at all.
TEST(Fix, OfATagThatIsCutOff) {
  const std::string text = "<a title='x' = b=c href = \"https://h/a\" >";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    Finding finding;
    finding.verdict = Verdict::kMoved;
    finding.target = "https://h/a";
    finding.location = "https://n/";
    finding.tag = "a@href";
    finding.line = finding.column = 1;
    const std::string part = text.substr(0, size);
    const auto edit = fix_of(finding, part, line_begins(part));
    EXPECT_EQ(edit.has_value(), size > text.find("a\" >") + 1) << size;
  }
}

}  // namespace
}  // namespace spinneret::check
