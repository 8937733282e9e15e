// SPDX-License-Identifier: Apache-2.0
#include "frontier/flight_log.h"

#include <gtest/gtest.h>

#include <vector>

#include "frontier/memory_store.h"
#include "frontier/meta.h"

namespace spinneret::frontier {
namespace {

class FlightLogTest : public testing::Test {
 protected:
  // A state has the mark of its format before anything else.
  void SetUp() override {
    ASSERT_TRUE(read_meta(store_).ok());
    ASSERT_TRUE(store_.commit().ok());
  }
  void commit(std::size_t in_flight = 0, const std::function<bool(HostId)>& unmark = {}) {
    log_.stage(in_flight, unmark);
    ASSERT_TRUE(store_.commit().ok());
  }
  // Returns the hosts in flight as a run would find them that opens the state now.
  std::vector<HostId> durable() {
    Result<Meta> meta = read_meta(store_);
    EXPECT_TRUE(meta.ok());
    return meta.ok() ? meta->flying : std::vector<HostId>();
  }
  std::uint64_t rows() {
    Result<Meta> meta = read_meta(store_);
    return meta.ok() ? meta->flying_rows : 0;
  }
  MemoryStore store_;
  FlightLog log_{store_};
};

TEST_F(FlightLogTest, AMarkIsDurableWithTheNextStage) {
  EXPECT_FALSE(log_.pending());
  log_.mark(7);
  log_.mark(3);
  EXPECT_TRUE(log_.pending());
  EXPECT_TRUE(durable().empty());
  commit();
  EXPECT_FALSE(log_.pending());
  EXPECT_EQ(durable(), (std::vector<HostId>{7, 3}));
}

TEST_F(FlightLogTest, EachBatchIsARowAndNothingNewIsNone) {
  log_.mark(7);
  commit();
  log_.mark(9);
  commit();
  commit();
  EXPECT_EQ(rows(), 2U);
  EXPECT_EQ(durable(), (std::vector<HostId>{7, 9}));
}

TEST_F(FlightLogTest, MarksOfAnEarlierRunStayUntilTheEnd) {
  log_.mark(7);
  commit();
  FlightLog next(store_);
  next.load(durable(), rows());
  EXPECT_EQ(next.marked(), (std::vector<HostId>{7}));
  next.mark(8);
  next.stage(1, {});
  ASSERT_TRUE(store_.commit().ok());
  EXPECT_EQ(durable(), (std::vector<HostId>{7, 8}));
  EXPECT_EQ(next.clear(), (std::vector<HostId>{7, 8}));
  ASSERT_TRUE(store_.commit().ok());
  EXPECT_TRUE(durable().empty());
  EXPECT_EQ(rows(), 0U);
}

TEST_F(FlightLogTest, WhoHasLandedIsSweptOnceTheyOutnumberTheFlights) {
  const auto is_even = [](HostId id) { return id % 2 == 0; };
  for (HostId id = 1; id <= FlightLog::kMarksToSweep + 2; ++id) log_.mark(id);
  // The marks are not more than 2 * 1 + kMarksToSweep.
  commit(/*in_flight=*/1, is_even);
  EXPECT_EQ(durable().size(), FlightLog::kMarksToSweep + 2);
  log_.mark(2001);
  commit(/*in_flight=*/1, is_even);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(durable().size(), FlightLog::kMarksToSweep / 2 + 2);
  EXPECT_EQ(durable().front(), 1U);
  EXPECT_EQ(durable().back(), 2001U);
}

}  // namespace
}  // namespace spinneret::frontier
