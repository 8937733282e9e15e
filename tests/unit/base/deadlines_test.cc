// SPDX-License-Identifier: Apache-2.0
#include "base/deadlines.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <set>
#include <string>

namespace spinneret {
namespace {

Deadlines make(std::size_t count) {
  Result<Deadlines> made = Deadlines::make(count);
  EXPECT_TRUE(made.ok()) << made.message();
  return made.take();
}

TEST(Deadlines, WhoeverHasTheDescriptorHearsWhenOneIsPutOff) {
  Deadlines ours = make(3);
  const std::uint64_t first = ours.begin(0), last = ours.begin(2);
  Result<Deadlines> theirs = Deadlines::open(ours.fd());
  ASSERT_TRUE(theirs.ok()) << theirs.message();
  EXPECT_EQ(theirs->of(last), 0);
  ours.put_off(2, 5000);
  EXPECT_EQ(theirs->of(last), 5000);
  EXPECT_EQ(theirs->of(first), 0);
  ours.put_off(2, 6000);
  EXPECT_EQ(theirs->of(last), 6000);
}

// While a partition is away from a machine before it comes back, it belongs to another one.
TEST(Deadlines, OneThatIsBegunAgainIsNotThatOfWhatWentByItBefore) {
  Deadlines all = make(2);
  const std::uint64_t before = all.begin(1);
  all.put_off(1, 5000);
  const std::uint64_t after = all.begin(1);
  all.put_off(1, 9000);
  EXPECT_EQ(all.of(before), 0);
  EXPECT_EQ(all.of(after), 9000);
}

TEST(Deadlines, NoNameIsGivenTwiceAndOthersAreOfNothing) {
  Deadlines all = make(3);
  std::set<std::uint64_t> names;
  for (int i = 0; i < 4; ++i) {
    for (std::size_t at = 0; at < 3; ++at) {
      names.insert(all.begin(at));
      all.put_off(at, 1);
    }
  }
  EXPECT_EQ(names.size(), 12U);
  EXPECT_FALSE(names.contains(0));
  int known = 0;
  for (std::uint64_t name = 0; name < 100; ++name) known += all.of(name) != 0 ? 1 : 0;
  EXPECT_EQ(known, 3);
  EXPECT_EQ(all.of(UINT64_MAX), 0);
}

TEST(Deadlines, TheDescriptorOutlivesAProgramsStartAndIsNoneThatAShellUses) {
  const Deadlines all = make(1);
  EXPECT_EQ(fcntl(all.fd(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_GE(all.fd(), 64);
}

TEST(Deadlines, AnyOtherDescriptorIsRefused) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Fd in(ends[0]), out(ends[1]);
  const Fd file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(file.get(), 64), 0);
  for (const int fd : {-1, 4000, in.get(), file.get()}) {
    const Result<Deadlines> opened = Deadlines::open(fd);
    ASSERT_FALSE(opened.ok()) << fd;
    EXPECT_EQ(opened.message(), "descriptor " + std::to_string(fd) + " is none of deadlines");
  }
  // A file of another size, which no reader could use.
  ASSERT_EQ(ftruncate(file.get(), 15), 0);
  ASSERT_EQ(fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  EXPECT_FALSE(Deadlines::open(file.get()).ok());
}

}  // namespace
}  // namespace spinneret
