// SPDX-License-Identifier: Apache-2.0
#include "loop/stage_ledger.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "loop/pipeline.h"
#include "support/temporary_folder.h"

namespace spinneret::loop {
namespace {

class StageLedgerTest : public testing::Test {
 protected:
  std::unique_ptr<Pipeline> start(const std::string& script) {
    Result<std::unique_ptr<Pipeline>> started = Pipeline::start({"sh", "-c", script}, "");
    EXPECT_TRUE(started.ok()) << started.message();
    return started.take();
  }
  // Waits until the pipeline has written something.
  static void hear(const Pipeline& pipeline) {
    pollfd fd{pipeline.output(), POLLIN, 0};
    ASSERT_EQ(poll(&fd, 1, 60'000), 1);
  }
  // Looks until `so` holds: what a stage has written may be read before the kernel has counted it.
  template <typename So>
  void look_until(StageLedger& ledger, const Pipeline& pipeline, So so) {
    for (int tries = 0; tries < 12'000; ++tries, poll(nullptr, 0, 5)) {
      ASSERT_TRUE(ledger.look(pipeline.group(), 1, /*at_once=*/true).ok());
      if (so()) return;
    }
  }
  report::StageCost cost(const std::string& name) const {
    for (const report::StageCost& each : read_stage_costs(path_)) {
      if (each.name == name) return each;
    }
    return {};
  }

  const TemporaryFolder temporary_;
  const std::string path_ = temporary_.file("stages");
};

TEST_F(StageLedgerTest, CountsWhatEachStageReadsAndWrites) {
  const auto pipeline = start("exec cat");
  ASSERT_EQ(write_all(pipeline->input(), std::string(3000, 'x')), 0);
  hear(*pipeline);
  StageLedger ledger(path_);
  look_until(ledger, *pipeline, [this] { return cost("cat").written >= 3000; });
  EXPECT_GE(cost("cat").read, 3000U);
  EXPECT_GE(cost("cat").written, 3000U);
  EXPECT_LT(cost("cat").written, 4000U);
}

TEST_F(StageLedgerTest, GoesOnFromEarlierRunsAndFromStagesThatAreGone) {
  ASSERT_TRUE(
      write_file_atomic(path_, "7000\t1\t2\tcat\nx\t1\t2\tdamaged\n9\t1\t2\n5\t0\t0\told\n").ok());
  EXPECT_EQ(read_stage_costs(path_).size(), 2U);
  StageLedger ledger(path_);
  for (int round = 1; round <= 3; ++round) {
    const auto pipeline = start("exec cat");
    ASSERT_EQ(write_all(pipeline->input(), std::string(1000, 'x')), 0);
    hear(*pipeline);
    const std::uint64_t written = 2U + 1000U * static_cast<unsigned>(round);
    look_until(ledger, *pipeline, [&] { return cost("cat").written >= written; });
    // A second look: the total cost of a process is not its cost since the last look.
    ASSERT_TRUE(ledger.look(pipeline->group(), 1, /*at_once=*/true).ok());
    EXPECT_EQ(cost("cat").written, written);
  }
  EXPECT_GE(cost("cat").cpu_ms, 7000U);
  EXPECT_EQ(cost("old").cpu_ms, 5U);
}

TEST_F(StageLedgerTest, TellsStagesOfOneNameApartByTheirOption) {
  const auto both = start("cat -u | cat --number | cat; true");
  ASSERT_EQ(write_all(both->input(), "x\n"), 0);
  StageLedger ledger(path_);
  // Either of the shells that become them may not have done so yet.
  look_until(ledger, *both,
             [this] { return !cost("cat --number").name.empty() && !cost("cat -u").name.empty(); });
  EXPECT_EQ(cost("cat --number").name, "cat --number");
  EXPECT_EQ(cost("cat -u").name, "cat -u");
}

// Bug: the driver of a crawl was "bash" in the report.
TEST_F(StageLedgerTest, BugAScriptBoreTheNameOfItsShell) {
  const std::string script = temporary_.file("render");
  ASSERT_TRUE(write_file_atomic(script, "echo; read -r line\n").ok());
  const auto pipeline = start("exec sh '" + script + "' -x");
  hear(*pipeline);
  StageLedger ledger(path_);
  ASSERT_TRUE(ledger.look(pipeline->group(), 1, /*at_once=*/true).ok());
  EXPECT_EQ(cost("render").name, "render");
  EXPECT_EQ(cost("sh").name, "");
}

// So was a driver that takes nothing from the environment: it was "bash -p".
TEST_F(StageLedgerTest, BugAPrivilegedShellWasNamedAfterItsFlag) {
  const std::string script = temporary_.file("render");
  ASSERT_TRUE(write_file_atomic(script, "echo; read -r line\n").ok());
  for (const std::string flags : {"-p '", "-p -- '"}) {
    const auto pipeline = start("exec bash " + flags + script + "' -x");
    hear(*pipeline);
    StageLedger ledger(path_);
    ASSERT_TRUE(ledger.look(pipeline->group(), 1, /*at_once=*/true).ok());
    EXPECT_EQ(cost("render").name, "render");
    EXPECT_EQ(cost("bash -p").name, "");
    EXPECT_EQ(cost("bash").name, "");
    ASSERT_EQ(unlink(path_.c_str()), 0);
  }
}

TEST_F(StageLedgerTest, LooksEveryTenSecondsAndNeverWithoutAPathOrAPipeline) {
  const auto pipeline = start("exec cat");
  StageLedger ledger(path_);
  ASSERT_TRUE(ledger.look(pipeline->group(), 1).ok());
  ASSERT_TRUE(ledger.look(pipeline->group(), 9'000).ok());
  EXPECT_TRUE(read_stage_costs(path_).empty());
  ASSERT_TRUE(ledger.look(-1, 90'000).ok());
  EXPECT_TRUE(read_stage_costs(path_).empty());
  ASSERT_TRUE(ledger.look(pipeline->group(), 10'001).ok());
  EXPECT_FALSE(read_stage_costs(path_).empty());
  StageLedger none("");
  EXPECT_TRUE(none.look(pipeline->group(), 1, /*at_once=*/true).ok());
}

TEST_F(StageLedgerTest, NamesAreBoundedInNumberAndHoldNoControls) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "1\t1\t1\tstage " + std::to_string(i) + "\n";
  ASSERT_EQ(symlink("/bin/cat", temporary_.file("d\te").c_str()), 0);
  const auto pipeline = start("exec '" + temporary_.file("d\te") + "'");
  ASSERT_EQ(write_all(pipeline->input(), "x"), 0);
  hear(*pipeline);
  StageLedger ledger(path_);
  ASSERT_TRUE(ledger.look(pipeline->group(), 1, /*at_once=*/true).ok());
  EXPECT_EQ(cost("d?e").name, "d?e");
  ASSERT_TRUE(write_file_atomic(path_, text).ok());
  StageLedger full(path_);
  ASSERT_TRUE(full.look(pipeline->group(), 1, /*at_once=*/true).ok());
  EXPECT_EQ(read_stage_costs(path_).size(), 101U);
  EXPECT_GE(cost("others").read, 1U);
}

TEST_F(StageLedgerTest, AFileThatCannotBeWrittenIsAnError) {
  const auto pipeline = start("exec cat");
  StageLedger ledger(temporary_.file("no/such/folder"));
  EXPECT_FALSE(ledger.look(pipeline->group(), 1, /*at_once=*/true).ok());
}

}  // namespace
}  // namespace spinneret::loop
