// SPDX-License-Identifier: Apache-2.0
#include "dedupe/line_judge.h"

namespace spinneret::dedupe {
namespace {

using Kind = LineVerdict::Kind;

// Sets the verdict of each judged line to kind_of(key number).
template <typename KindOf>
void set_kinds(const LineBatch& batch, std::vector<LineVerdict>& verdicts, const KindOf& kind_of) {
  verdicts.assign(batch.lines().size(), {});
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const LineBatch::Line& line = batch.lines()[i];
    if (line.judged()) verdicts[i].kind = kind_of(line.key);
  }
}

class SeenJudge : public LineJudge {
 public:
  SeenJudge(std::unique_ptr<SeenSet> set, bool only_look)
      : set_(std::move(set)), only_look_(only_look) {}

  Status judge(const LineBatch& batch, std::vector<LineVerdict>& verdicts) override {
    if (capacity_ < batch.keys().size()) {
      capacity_ = batch.keys().size();
      fresh_ = std::make_unique<bool[]>(capacity_);
    }
    // Allocates before the keys go to the store: a line that is stored and not passed on is lost
    // for good.
    verdicts.reserve(batch.lines().size());
    Status done = only_look_ ? set_->find_batch(batch.keys(), fresh_.get())
                             : set_->insert_batch(batch.keys(), fresh_.get());
    if (!done.ok()) return done;
    set_kinds(batch, verdicts,
              [this](std::uint32_t key) { return fresh_[key] ? Kind::kFresh : Kind::kRepeat; });
    return {};
  }
  std::string report() const override { return set_->report(); }
  Status close() override { return set_->close(); }

 private:
  std::unique_ptr<SeenSet> set_;
  bool only_look_;
  std::unique_ptr<bool[]> fresh_;
  std::size_t capacity_ = 0;
};

class SecondJudge : public LineJudge {
 public:
  Status judge(const LineBatch& batch, std::vector<LineVerdict>& verdicts) override {
    counter_.count_batch(batch.keys(), counts_);
    set_kinds(batch, verdicts, [this](std::uint32_t key) {
      return counts_[key] == 2 ? Kind::kRepeat : counts_[key] == 1 ? Kind::kFresh : Kind::kUnwanted;
    });
    return {};
  }

 private:
  KeyCounter counter_;
  std::vector<std::uint64_t> counts_;
};

class OriginalJudge : public LineJudge {
 public:
  explicit OriginalJudge(std::unique_ptr<OriginalIndex> index) : index_(std::move(index)) {}

  Status judge(const LineBatch& batch, std::vector<LineVerdict>& verdicts) override {
    verdicts.assign(batch.lines().size(), {});
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      const LineBatch::Line& line = batch.lines()[i];
      if (!line.judged()) continue;
      OriginalIndex::Verdict found;
      const std::string_view url = line.text.substr(0, line.text.find('\t'));
      index_->judge(url, batch.keys()[line.key], false, found);
      verdicts[i].kind = found.copy ? Kind::kRepeat : Kind::kFresh;
      verdicts[i].original = found.original;
    }
    return index_->commit();
  }

 private:
  std::unique_ptr<OriginalIndex> index_;
};

}  // namespace

std::unique_ptr<LineJudge> make_seen_judge(std::unique_ptr<SeenSet> set, bool only_look) {
  return std::make_unique<SeenJudge>(std::move(set), only_look);
}

std::unique_ptr<LineJudge> make_second_judge() { return std::make_unique<SecondJudge>(); }

std::unique_ptr<LineJudge> make_original_judge(std::unique_ptr<OriginalIndex> index) {
  return std::make_unique<OriginalJudge>(std::move(index));
}

}  // namespace spinneret::dedupe
