// SPDX-License-Identifier: Apache-2.0
#include "frontier/beside_writer.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "support/temporary_folder.h"

namespace spinneret::frontier {
namespace {

class BesideWriter : public testing::Test {
 protected:
  void make(const std::string& name) { std::ofstream(folder_.file(name)) << "x"; }
  void remove(const std::string& name) { std::remove(folder_.file(name).c_str()); }
  // Looks at the folder. `meanwhile` gets the number of the look, and returns its result.
  template <typename Meanwhile>
  Result<int> look(Meanwhile meanwhile) {
    looks_ = 0;
    return open_beside_writer(folder_.path(), [&] { return meanwhile(++looks_); });
  }
  TemporaryFolder folder_;
  int looks_ = 0;
};

TEST_F(BesideWriter, OnceWhereNothingGoesAway) {
  make("000004.log");
  EXPECT_EQ(look([&](int look) -> Result<int> {
              make("000007.log");  // a new file belongs to what comes after the look
              return look;
            }).take(),
            1);
}

TEST_F(BesideWriter, BugRowsOfALogThatWentAwayWhileItWasListedWereMissed) {
  make("000004.log");
  EXPECT_EQ(look([&](int look) -> Result<int> {
              if (look == 1) remove("000004.log");
              return look;
            }).take(),
            2);
}

TEST_F(BesideWriter, BugALogOrATableThatWasRemovedMeanwhileWasTrouble) {
  for (const char* const name : {"000004.log", "000005.sst", "MANIFEST-000003"}) {
    make(name);
    EXPECT_EQ(look([&](int look) -> Result<int> {
                if (look > 1) return look;
                remove(name);
                return Error{"No such file"};
              }).take(),
              2);
  }
}

TEST_F(BesideWriter, ATableThatHasBeenOpenedMayGo) {
  make("000005.sst");
  EXPECT_EQ(look([&](int look) -> Result<int> {
              remove("000005.sst");
              return look;
            }).take(),
            1);
}

TEST_F(BesideWriter, AnErrorOfItsOwnCountsAtOnce) {
  make("000004.log");
  EXPECT_EQ(look([](int) -> Result<int> { return Error{"damaged"}; }).message(), "damaged");
  EXPECT_EQ(looks_, 1);
}

TEST_F(BesideWriter, EndsWhereTheFilesNeverRest) {
  const auto change = [&](int look) {
    remove("a" + std::to_string(look - 1) + ".log");
    make("a" + std::to_string(look) + ".log");
  };
  make("a0.log");
  EXPECT_NE(look([&](int look) -> Result<int> {
              change(look);
              return look;
            })
                .message()
                .find("changes too fast"),
            std::string::npos);
  EXPECT_EQ(looks_, kMostLooks);
  EXPECT_EQ(look([&](int look) -> Result<int> {
              change(look == 1 ? kMostLooks + 1 : look);
              return Error{"gone"};
            }).message(),
            "gone");
}

TEST_F(BesideWriter, NoFolderHasNoFiles) {
  EXPECT_TRUE(state_files_in(folder_.file("none")).logs.empty());
}

}  // namespace
}  // namespace spinneret::frontier
