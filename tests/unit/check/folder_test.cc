// SPDX-License-Identifier: Apache-2.0
// Folders and archives as pages: by a walk, by looking one page up, and by the names in an archive.
// All three must agree.
#include "check/folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.h"
#include "url/parse.h"

namespace spinneret::check {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
 protected:
  void put(const std::string& name, std::size_t size = 1) {
    fs::create_directories(fs::path(root_ + "/" + name).parent_path());
    std::ofstream(root_ + "/" + name) << std::string(size, 'x');
  }
  FolderOptions options(bool pretty = false) const {
    return {.root = root_, .base = "http://h/", .pretty_urls = pretty};
  }
  // Writes a page as "URL", "URL > LOCATION" (redirect), "URL >> LOCATION" (moved), or "URL !" if
  // it leads out of the folder.
  static std::string told(const FolderPage& page) {
    std::string out(page.url);
    if (page.outcome == Outcome::kRedirect) out.append(" > ").append(page.location);
    if (page.outcome == Outcome::kMoved) out.append(" >> ").append(page.location);
    if (page.outcome == Outcome::kBlockedByPolicy) out += " !";
    return out;
  }
  std::vector<std::string> walked(bool pretty = false) {
    std::vector<std::string> out;
    troubles_.clear();
    Folder folder(options(pretty));
    folder.walk([&out](const FolderPage& page) { out.push_back(told(page)); },
                [this](const std::string& what, bool failed) {
                  troubles_.push_back((failed ? "failed " : "") + what);
                });
    return out;
  }
  std::vector<std::string> looked_up(const std::string& rest, bool pretty = false) {
    std::vector<std::string> out;
    Folder folder(options(pretty));
    folder.look_up(rest, [&out](const FolderPage& page) {
      out.push_back(told(page) + (page.for_sources ? " (sources)" : ""));
    });
    return out;
  }

  TemporaryFolder folder_;
  const std::string root_ = folder_.file("root");
  std::vector<std::string> troubles_;
};

using Pages = std::vector<std::string>;

TEST_F(FolderTest, InOrderOfNamesWithIndexesAndWithoutWhatIsHidden) {
  for (const char* const name :
       {"b.html", "a/index.html", "a/z.htm", "B.html", ".git/config", ".well-known/x.txt",
        "c/index.htm", "d/index.htm", "d/index.html", "e/none.css"})
    put(name);
  EXPECT_EQ(
      walked(),
      (Pages{"http://h/.well-known/x.txt", "http://h/B.html", "http://h/a >> http://h/a/",
             "http://h/a/index.html > http://h/a/", "http://h/a/", "http://h/a/z.htm",
             "http://h/b.html", "http://h/c >> http://h/c/", "http://h/c/index.htm > http://h/c/",
             "http://h/c/", "http://h/d >> http://h/d/", "http://h/d/index.htm",
             "http://h/d/index.html > http://h/d/", "http://h/d/", "http://h/e/none.css"}));
  EXPECT_TRUE(troubles_.empty());
}

TEST_F(FolderTest, PrettyUrls) {
  for (const char* const name : {"a.html", "b.c.xhtml", "d.txt", "index.html"}) put(name);
  EXPECT_EQ(walked(true),
            (Pages{"http://h/a > http://h/a.html", "http://h/a.html",
                   "http://h/b.c > http://h/b.c.xhtml", "http://h/b.c.xhtml", "http://h/d.txt",
                   "http://h/index.html > http://h/", "http://h/"}));
}

TEST_F(FolderTest, EveryByteOfANameIsWrittenSoThatItIsFoundAgain) {
  for (int byte = 1; byte != 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (c != '/') put("n" + std::string(1, c) + "m.txt");
  }
  put("%41.txt");
  put("a?b#c.txt");
  Folder folder(options());
  std::size_t pages = 0;
  folder.walk(
      [&](const FolderPage& page) {
        ++pages;
        Url url;
        ASSERT_TRUE(parse(page.url, url)) << page.url;
        EXPECT_EQ(url.href(), page.url);
        Pages again;
        Folder(options()).look_up(page.url.substr(9), [&](const FolderPage& found) {
          again.push_back(std::string(found.path));
        });
        EXPECT_EQ(again, Pages{std::string(page.path)}) << page.url;
      },
      [](const std::string& what, bool) { ADD_FAILURE() << what; });
  EXPECT_EQ(pages, 256U);
}

TEST_F(FolderTest, LinksThatLeadOutNowhereOrRound) {
  put("d/a.html");
  std::ofstream(folder_.file("secret.html")) << "x";
  fs::create_directory(folder_.file("rootless"));
  fs::create_symlink("a.html", root_ + "/d/b.html");
  fs::create_symlink("../../secret.html", root_ + "/d/out.html");
  fs::create_symlink(folder_.file("rootless"), root_ + "/d/rootless");
  fs::create_symlink("nothing", root_ + "/d/gone");
  fs::create_symlink("..", root_ + "/d/round");
  fs::create_symlink("d", root_ + "/e");
  ASSERT_EQ(mkfifo((root_ + "/d/pipe").c_str(), 0600), 0);
  EXPECT_EQ(walked(), (Pages{"http://h/d/a.html", "http://h/d/b.html", "http://h/d/out.html !",
                             "http://h/d/rootless !", "http://h/e/a.html", "http://h/e/b.html",
                             "http://h/e/out.html !", "http://h/e/rootless !"}));
  ASSERT_EQ(troubles_.size(), 10U);
  EXPECT_EQ(troubles_[0], root_ + "/d/gone: leads nowhere: left out");
  EXPECT_EQ(troubles_[1], root_ + "/d/out.html: leads out of " + root_ + ": left out");
  EXPECT_EQ(troubles_[2], root_ + "/d/pipe: neither file nor folder: left out");
  EXPECT_EQ(troubles_[4], root_ + "/d/round: leads round in a circle: left out");
}

TEST_F(FolderTest, DepthIsBoundedAndToldAndSoIsAFolderThatIsNone) {
  std::string name;
  for (int depth = 0; depth != 70; ++depth) name += "d/";
  put(name + "a.html");
  put("d/b.html");
  EXPECT_EQ(walked(), (Pages{"http://h/d/b.html"}));
  ASSERT_EQ(troubles_.size(), 1U);
  EXPECT_NE(troubles_[0].find("more than 64 folders deep: left out"), std::string::npos);
  troubles_.clear();
  Folder none({.root = folder_.file("no\x1Bwhere"), .base = "http://h/"});
  none.walk([](const FolderPage&) { ADD_FAILURE(); },
            [this](const std::string& what, bool failed) {
              EXPECT_TRUE(failed);
              troubles_.push_back(what);
            });
  ASSERT_EQ(troubles_.size(), 1U);
  EXPECT_EQ(troubles_[0].find('\x1B'), std::string::npos);
}

// Every page of a walk is found by itself, too, and leads to the same.
TEST_F(FolderTest, LookingUpIsTheWalkOfOne) {
  for (const char* const name :
       {"q.html", "a/index.html", "b/index.htm", "b/c.txt", "d/.hidden/e.html", "d/f.css",
        ".well-known/g", "x.html", "y.xhtml"})
    put(name);
  for (const bool pretty : {false, true}) {
    for (const std::string& page : walked(pretty)) {
      const std::string url = page.substr(0, page.find(' '));
      const Pages found = looked_up(url.substr(9), pretty);
      EXPECT_NE(std::find(found.begin(), found.end(), page), found.end())
          << url << ": " << testing::PrintToString(found);
    }
  }
}

TEST_F(FolderTest, LookedUpIsWhatIsThereAndNothingElse) {
  for (const char* const name : {"a/index.html", "b/c.txt", ".d/e.txt"}) put(name);
  EXPECT_EQ(looked_up("a"), (Pages{"http://h/a >> http://h/a/",
                                   "http://h/a/index.html > http://h/a/", "http://h/a/"}));
  EXPECT_EQ(looked_up("a/"), (Pages{"http://h/a/index.html > http://h/a/", "http://h/a/"}));
  EXPECT_EQ(looked_up("b/c.txt?v=1"), (Pages{"http://h/b/c.txt"}));
  EXPECT_EQ(looked_up("b/%63.txt"), (Pages{"http://h/b/%63.txt"}));
  EXPECT_EQ(looked_up("b"), (Pages{"http://h/b (sources)"}));
  EXPECT_EQ(looked_up(".d/e.txt"), (Pages{"http://h/.d/e.txt (sources)"}));
  for (const char* const none :
       {"c", "b/d.txt", "b/c.txt/", "b/c.txt/d", "..", "%2e%2e", "a/../b/c.txt", "a/%2E%2E/b/c.txt",
        "b%2Fc.txt", "b/c.txt%00", "a//index.html"})
    EXPECT_EQ(looked_up(none), Pages()) << none;
}

TEST_F(FolderTest, BugAPrettyUrlWasReadFromOutsideTheRootAndFoundHtmlAlone) {
  put("a.htm");
  put("b.xhtml");
  fs::create_directories(root_ + "/c.html");
  put("c.htm");
  std::ofstream(folder_.file("secret.html")) << "x";
  fs::create_symlink("../secret.html", root_ + "/d.html");
  EXPECT_EQ(looked_up("a", true), (Pages{"http://h/a > http://h/a.htm", "http://h/a.htm"}));
  EXPECT_EQ(looked_up("b", true), (Pages{"http://h/b > http://h/b.xhtml", "http://h/b.xhtml"}));
  EXPECT_EQ(looked_up("c", true), (Pages{"http://h/c > http://h/c.htm", "http://h/c.htm"}));
  EXPECT_EQ(looked_up("d", true), (Pages{"http://h/d.html !"}));
  EXPECT_EQ(looked_up("a"), Pages());
}

// An archive gives the same pages as the folder that it would be unpacked to.
TEST_F(FolderTest, NamesOfAnArchiveAreTheWalkOfItsFolder) {
  const std::vector<std::string> names = {
      "a.html",       "a/index.html", "a/b/c.txt",     "b/index.htm",   "c/index.htm",
      "c/index.html", ".git/config",  "d/.h/e.html",   "d/f.css",       "d%.txt",
      "index.html",   "z.xhtml",      ".well-known/g", "a b/index.htm", "a?/x.html"};
  std::vector<NamedFile> files;
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    put(name);
    files.push_back({.name = name, .size = 1, .offset = 512});
  }
  for (const bool pretty : {false, true}) {
    const Pages pages = walked(pretty);
    std::set<std::string> archived;
    give_named(options(pretty), files, [&archived](const FolderPage& page) {
      archived.insert(told(page));
      EXPECT_EQ(page.offset, page.outcome == Outcome::kOk ? 512U : 0U);
    });
    EXPECT_EQ(archived, std::set<std::string>(pages.begin(), pages.end()));
  }
}

TEST_F(FolderTest, PathsBelowARoot) {
  put("a b/c%.html");
  put("d.html");
  fs::create_symlink("../outside", root_ + "/out");
  fs::create_directory(folder_.file("outside"));
  fs::create_directory(folder_.file("root2"));
  EXPECT_EQ(url_path_below(root_, root_ + "/a b/c%.html"), "a%20b/c%25.html");
  EXPECT_EQ(url_path_below(root_, root_ + "/a b/../d.html"), "d.html");
  EXPECT_EQ(url_path_below(root_, root_), "");
  EXPECT_EQ(url_path_below(root_ + "/", root_ + "//"), "");
  EXPECT_EQ(url_path_below("/", "/"), "");
  EXPECT_EQ(url_path_below("/", root_ + "/d.html"), root_.substr(1) + "/d.html");
  for (const std::string& none :
       {root_ + "/out", folder_.file("root2"), folder_.path(), root_ + "/nothing", std::string()})
    EXPECT_EQ(url_path_below(root_, none), std::nullopt) << none;
  EXPECT_EQ(url_path_below(folder_.file("none"), root_), std::nullopt);
}

}  // namespace
}  // namespace spinneret::check
