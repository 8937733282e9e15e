# SPDX-License-Identifier: Apache-2.0
# For tests of scripts/crawl: the command in `crawl`, sites of nginx, and an end for what a test has left running.

load ../loop/site

setup() { crawl=$SPINNERET_ROOT/scripts/crawl; }
teardown() {
  stop_site
  [[ -z ${running-} ]] || pkill -KILL -s "$running" || true  # its stages outlive it
  end_jobs
}
