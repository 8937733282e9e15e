// SPDX-License-Identifier: Apache-2.0
#include "pg/connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/number.h"
#include "pg/schema.h"

namespace spinneret::pg {
namespace {

// The oldest release that has all that our statements use.
constexpr std::uint64_t kOldest = 130'000;

std::int64_t now_ms() { return system_clock().monotonic_ns() / 1'000'000; }

using Answer = std::unique_ptr<PGresult, void (*)(PGresult*)>;

// Returns the first line of a message; libpq adds advice in further lines.
std::string first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  // We name the server ourselves in place of 'connection to server at "h", port 5432 failed: '.
  constexpr std::string_view kFailed = " failed: ";
  if (const std::size_t at = text.find(kFailed);
      text.starts_with("connection to server") && at != std::string_view::npos)
    text.remove_prefix(at + kFailed.size());
  return std::string(text);
}

// Returns the line that tells most. A name with several addresses has a line for each: a refused
// connection at ::1 does not matter where the server at 127.0.0.1 sent a message.
std::string telling_line(std::string_view text) {
  for (std::string_view rest = text; rest.find('\n') != std::string_view::npos;
       rest.remove_prefix(rest.find('\n') + 1)) {
    const std::string line = first_line(rest);
    if (rest.starts_with("connection to server") && !line.starts_with("Connection refused"))
      return line;
  }
  return first_line(text);
}

// Splits "FATAL:  28P01: password ...", the form of libpq's verbose messages, into the state, which
// is returned, and the rest of the line.
std::string state_of(std::string& line) {
  const std::size_t at = line.find(":  ");
  if (at == std::string::npos || line.size() < at + 10 || line.compare(at + 8, 2, ": ") != 0)
    return {};
  std::string state = line.substr(at + 3, 5);
  line.erase(at + 1, 8);
  return state;
}

// Errors that another try would meet, too: of a password, a database or a right; and of a table
// that is not like ours.
bool is_refusal(std::string_view state) {
  return state.starts_with("28") || state == "3D000" || state == "42501";
}
bool is_foreign(std::string_view state) {
  return state.starts_with("42") && state != "42501" && state != "42P01";
}

// Returns what to say instead of PostgreSQL's own message, which does not help somebody who set
// neither the time limit nor the number of connections; empty for other errors.
std::string_view plain_words(std::string_view state) {
  if (state == "53300") return "has no room for one more connection: raise its max_connections";
  if (state == "57014" || state == "55P03")
    return "has not come to it in time: has somebody locked a table of the schema spinneret?";
  if (state == "25006") return "takes no writes";
  return {};
}

}  // namespace

std::int64_t Rows::integer(std::size_t row, std::size_t column) const {
  return integer_of(text(row, column));
}
bool Rows::truth(std::size_t row, std::size_t column) const {
  return text(row, column) == std::string_view("\1", 1);
}

bool is_built_in() { return true; }

struct Connection::Session {
  explicit Session(PGconn* its) : link(its) {}
  ~Session() { PQfinish(link); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Returns false where no event has come by `until_ms`.
  bool wait(short events, std::int64_t until_ms) const {
    while (true) {
      pollfd one{PQsocket(link), events, 0};
      const std::int64_t left = until_ms - now_ms();
      const int ready = left <= 0 ? 0 : poll(&one, 1, static_cast<int>(left));
      if (ready > 0) return true;
      if (ready == 0 || errno != EINTR) return false;
    }
  }
  // Makes the connection. Returns an empty string, or why it failed.
  std::string connect(std::int64_t until_ms) const {
    if (PQstatus(link) == CONNECTION_BAD) return PQerrorMessage(link);
    PQsetErrorVerbosity(link, PQERRORS_VERBOSE);
    PQsetNoticeProcessor(
        link, [](void*, const char*) {}, nullptr);
    for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;
         next = PQconnectPoll(link)) {
      if (next == PGRES_POLLING_FAILED) return PQerrorMessage(link);
      if (!wait(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until_ms))
        return "does not answer";
    }
    PQsetErrorVerbosity(link, PQERRORS_DEFAULT);
    return PQsetnonblocking(link, 1) == 0 ? "" : PQerrorMessage(link);
  }
  // Returns the answer to the statements that were sent: of several the first that failed, or the
  // last. Where there is none, `trouble` says why.
  Answer answer(std::int64_t until_ms, std::string& trouble) const {
    Answer out(nullptr, PQclear);
    for (int left = PQflush(link); left != 0; left = PQflush(link)) {
      if (left < 0 || PQconsumeInput(link) == 0)
        return trouble = PQerrorMessage(link), Answer(nullptr, PQclear);
      if (!wait(POLLIN | POLLOUT, until_ms))
        return trouble = "does not answer", Answer(nullptr, PQclear);
    }
    while (true) {
      while (PQisBusy(link) != 0) {
        if (!wait(POLLIN, until_ms)) return trouble = "does not answer", Answer(nullptr, PQclear);
        if (PQconsumeInput(link) == 0)
          return trouble = PQerrorMessage(link), Answer(nullptr, PQclear);
      }
      Answer next(PQgetResult(link), PQclear);
      if (next == nullptr) return out;
#ifdef LIBPQ_HAS_PIPELINING
      // Nothing more comes before a sync.
      if (PQresultStatus(next.get()) == PGRES_PIPELINE_SYNC) return next;
#endif
      if (out == nullptr || PQresultStatus(out.get()) != PGRES_FATAL_ERROR) out = std::move(next);
    }
  }

  PGconn* link;
  std::vector<bool> prepared;
};

namespace {

std::string name_of(std::size_t statement) { return "s" + std::to_string(statement); }

Rows rows_of(const PGresult* answer) {
  Rows out;
  out.columns = static_cast<std::size_t>(PQnfields(answer));
  const int rows = PQntuples(answer), columns = PQnfields(answer);
  out.cells.reserve(static_cast<std::size_t>(rows) * out.columns);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      out.cells.emplace_back(PQgetvalue(answer, row, column),
                             static_cast<std::size_t>(PQgetlength(answer, row, column)));
  }
  return out;
}

}  // namespace

Connection::Connection(Address address, Use use, std::int64_t limit_ms)
    : address_(std::move(address)), use_(use), limit_ms_(limit_ms) {}
Connection::~Connection() = default;

void Connection::close() { session_.reset(); }

std::size_t Connection::add_statement(std::string_view sql) {
  statements_.emplace_back(sql);
  return statements_.size() - 1;
}

Status Connection::failed(const std::string& state, const std::string& text) {
  refused_ = is_refusal(state) || is_foreign(state);
  session_.reset();
  if (is_foreign(state)) {
    return Error{peer() +
                 ": another program's tables are where ours belong, in the schema spinneret (" +
                 text + "): take another database"};
  }
  const std::string_view plain = plain_words(state);
  return Error{peer() + ": " + (plain.empty() ? text : std::string(plain))};
}

Status Connection::open_at(const ServiceHost& host) {
  peer_ = host;
  const std::string port = std::to_string(host.port);
  std::vector<const char*> names = {"host", "port", "dbname", "application_name",
                                    "client_encoding"};
  std::vector<const char*> values = {host.name.c_str(), port.c_str(), address_.database.c_str(),
                                     "spinneret", "UTF8"};
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    names.push_back(name);
    values.push_back(value.c_str());
  };
  add("user", address_.user);
  add("password", address_.password);
  for (const auto& [name, value] : address_.words) add(name.c_str(), value);
  names.push_back(nullptr);
  values.push_back(nullptr);
  session_ = std::make_unique<Session>(PQconnectStartParams(names.data(), values.data(), 0));
  if (session_->link == nullptr) return failed("", "out of memory");
  const std::string trouble = session_->connect(now_ms() + limit_ms_);
  if (trouble.empty()) return greet();
  const bool no_password = PQconnectionNeedsPassword(session_->link) != 0;
  std::string line = telling_line(trouble);
  std::string state = state_of(line);
  if (no_password) {
    state = "28P01";
    line += " (the password goes into PGPASSWORD)";
  }
  return failed(state, line);
}

// Asks which server this is, sets how it is to work for us, and makes our tables.
Status Connection::greet() {
  const Result<Rows> who = simple(
      "SELECT current_setting('server_version_num'), pg_is_in_recovery(), "
      "current_setting('transaction_read_only'), current_setting('synchronous_commit')");
  if (!who.ok()) return who.error();
  const std::uint64_t version = parse_unsigned(who->text(0, 0)).value_or(0);
  if (version < kOldest) {
    refused_ = true;
    return Error{peer() + ": is PostgreSQL " + std::to_string(version / 10'000) +
                 ", and 13 or later is needed"};
  }
  if (who->text(0, 1) == "t") return Error{peer() + ": is a standby"};
  if (use_ == Use::kLook) return {};
  if (who->text(0, 2) == "on") return Error{peer() + ": takes no writes"};
  const std::string& commits = who->text(0, 3);
  // The server gives up before we would say that it does not answer: it can tell that the statement
  // waits for a lock.
  std::string words =
      "SET statement_timeout = " + std::to_string(limit_ms_ * 9 / 10) + "; SET jit = off";
  if (use_ == Use::kBus) {
    // If a table is empty for a time, the plans must not scan the whole table ever after.
    words +=
        "; SET synchronous_commit = off; SET enable_seqscan = off; SET enable_bitmapscan = off; "
        "SET plan_cache_mode = force_generic_plan";
  } else if (commits == "off" || commits == "local") {
    words += "; SET synchronous_commit = on";
  }
  if (const Result<Rows> set = simple(words); !set.ok()) return set.error();
  if (const Status made = make_tables(); !made.ok()) return made;
  return check_version();
}

Status Connection::make_tables() {
  const Result<Rows> count = simple(kCountTables);
  if (!count.ok()) return count.error();
  if (parse_unsigned(count->text(0, 0)) == kTables) return {};
  const Result<Rows> made = simple(kMakeTables);
  return made.ok() ? Status() : made.error();
}

Status Connection::check_version() {
  // Both strings consist of [a-z0-9-_.] only.
  const std::string row = "('" + address_.crawl + "', '" + kVersion + "')";
  const Result<Rows> version =
      simple("INSERT INTO spinneret.crawl (crawl, version) VALUES " + row +
             " ON CONFLICT DO NOTHING; SELECT version FROM spinneret.crawl WHERE crawl = '" +
             address_.crawl + "'");
  if (!version.ok()) return version.error();
  if (version->empty() || version->text(0, 0) == kVersion) return {};
  refused_ = true;
  return Error{peer() + ": what is stored for the crawl " + address_.crawl + " is of version \"" +
               version->text(0, 0).substr(0, 20) + "\", and this program's is " + kVersion +
               ": use its release, or another NAME"};
}

Status Connection::open() {
  std::string troubles;
  cut_ = false;
  for (const ServiceHost& host : address_.hosts) {
    refused_ = false;
    const Status opened = open_at(host);
    if (opened.ok()) return opened;
    close();
    troubles += (troubles.empty() ? "" : "; ") + opened.message();
  }
  cut_ = !refused_;
  return Error{troubles};
}

Result<Rows> Connection::receive(bool sent) {
  std::string trouble;
  const Answer answer =
      sent ? session_->answer(now_ms() + limit_ms_, trouble) : Answer(nullptr, PQclear);
  if (!sent) trouble = PQerrorMessage(session_->link);
  cut_ = PQstatus(session_->link) == CONNECTION_BAD;
  if (answer == nullptr) return failed("", first_line(trouble)).error();
  if (PQresultStatus(answer.get()) == PGRES_FATAL_ERROR) {
    const char* const state = PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE);
    return failed(state == nullptr ? "" : state, first_line(PQresultErrorMessage(answer.get())))
        .error();
  }
  return rows_of(answer.get());
}

Result<Rows> Connection::simple(const std::string& sql) {
  return receive(PQsendQuery(session_->link, sql.c_str()) != 0);
}

// Opens the connection, and prepares the statement.
Status Connection::prepare(std::size_t statement) {
  refused_ = false;
  if (session_ == nullptr) {
    if (Status opened = open(); !opened.ok()) return opened;
  }
  session_->prepared.resize(statements_.size());
  if (session_->prepared[statement]) return {};
  const Result<Rows> made = receive(PQsendPrepare(session_->link, name_of(statement).c_str(),
                                                  statements_[statement].c_str(), 0, nullptr) != 0);
  if (!made.ok()) return made.error();
  session_->prepared[statement] = true;
  return {};
}

bool Connection::send(std::size_t statement, const Parameters& parameters) {
  std::vector<const char*> values;
  std::vector<int> sizes;
  for (const std::string& value : parameters.values()) {
    values.push_back(value.data());
    sizes.push_back(static_cast<int>(value.size()));
  }
  const std::vector<int> binary(values.size(), 1);
  return PQsendQueryPrepared(session_->link, name_of(statement).c_str(),
                             static_cast<int>(values.size()), values.data(), sizes.data(),
                             binary.data(), 1) != 0;
}

Result<Rows> Connection::run(std::size_t statement, const Parameters& parameters) {
  if (const Status ready = prepare(statement); !ready.ok()) return ready.error();
  return receive(send(statement, parameters));
}

#ifdef LIBPQ_HAS_PIPELINING
// All statements are sent before the first answer is awaited. A sync behind each ends its
// transaction, so that it holds no locks for the next, and takes no other with it when it fails.
Status Connection::run_each(std::size_t statement, std::span<const Parameters> all,
                            std::vector<Rows>& answers) {
  answers.clear();
  if (all.empty()) return {};
  if (Status ready = prepare(statement); !ready.ok()) return ready;
  bool sent = PQenterPipelineMode(session_->link) != 0;
  for (const Parameters& one : all)
    sent = sent && send(statement, one) && PQpipelineSync(session_->link) != 0;
  while (answers.size() < all.size()) {
    Result<Rows> answer = receive(sent);
    if (!answer.ok()) return answer.error();
    if (const Result<Rows> mark = receive(true); !mark.ok()) return mark.error();
    answers.push_back(answer.take());
  }
  if (PQexitPipelineMode(session_->link) == 0) return receive(false).error();
  return {};
}
#else
Status Connection::run_each(std::size_t statement, std::span<const Parameters> all,
                            std::vector<Rows>& answers) {
  answers.clear();
  for (const Parameters& one : all) {
    Result<Rows> answer = run(statement, one);
    if (!answer.ok()) return answer.error();
    answers.push_back(answer.take());
  }
  return {};
}
#endif

Result<Rows> Connection::ask(const std::string& sql) {
  refused_ = false;
  if (session_ == nullptr) {
    if (const Status opened = open(); !opened.ok()) return opened.error();
  }
  return simple(sql);
}

}  // namespace spinneret::pg
