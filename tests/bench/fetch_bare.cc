// SPDX-License-Identifier: Apache-2.0
// For tests/bench/fetch.sh: what libcurl's multi interface costs by itself. Fetches the URLs on
// standard input, COUNT at a time, over epoll, and drops the bodies. Prints how many came.
//
//   bench-fetch_bare COUNT [FIELD]...
//
// Each FIELD ("Name: value") goes out with every request: libcurl 7.88 writes a head byte by byte.
#include <curl/curl.h>
#include <sys/epoll.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

int epoll = -1;
CURLM* multi = nullptr;
long timeout_ms = -1;
curl_slist* fields = nullptr;

std::size_t drop(char*, std::size_t, std::size_t count, void*) { return count; }

int on_socket(CURL*, curl_socket_t fd, int what, void*, void* known) {
  epoll_event event{};
  event.data.fd = fd;
  if (what == CURL_POLL_REMOVE) return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &event), 0;
  if (what != CURL_POLL_OUT) event.events |= EPOLLIN;
  if (what != CURL_POLL_IN) event.events |= EPOLLOUT;
  epoll_ctl(epoll, known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
  curl_multi_assign(multi, fd, &epoll);
  return 0;
}

int on_timer(CURLM*, long ms, void*) {
  timeout_ms = ms;
  return 0;
}

bool start_next(CURL* easy) {
  std::string url;
  if (!std::getline(std::cin, url)) return false;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  return curl_multi_add_handle(multi, easy) == CURLM_OK;
}

CURL* handle() {
  CURL* const easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
  return easy;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  for (int i = 2; i < argc; ++i) fields = curl_slist_append(fields, argv[i]);
  const int count = std::atoi(argv[1]);
  std::ios::sync_with_stdio(false);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  epoll = epoll_create1(0);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 2L * count);
  int active = 0;
  while (active < count && start_next(handle())) ++active;
  unsigned long came = 0;
  while (active > 0) {
    epoll_event events[128];
    const int ready =
        epoll_wait(epoll, events, 128, timeout_ms < 0 ? 1000 : static_cast<int>(timeout_ms));
    int running = 0;
    if (ready <= 0) {
      timeout_ms = -1;
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    for (int i = 0; i < ready; ++i) {
      const int bits =
          ((events[i].events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
          ((events[i].events & ~static_cast<unsigned>(EPOLLOUT)) != 0 ? CURL_CSELECT_IN : 0);
      curl_multi_socket_action(multi, events[i].data.fd, bits, &running);
    }
    int left = 0;
    while (CURLMsg* const message = curl_multi_info_read(multi, &left)) {
      CURL* const easy = message->easy_handle;
      if (message->data.result == CURLE_OK) ++came;
      curl_multi_remove_handle(multi, easy);
      if (!start_next(easy)) --active;
    }
  }
  std::printf("%lu\n", came);
  return 0;
}
