# SPDX-License-Identifier: Apache-2.0
# For tests of scripts/crawl: the command is in `crawl`, sites are served by nginx, and whatever a test leaves running
# is ended.

load ../loop/site

setup() { crawl=$SPINNERET_ROOT/scripts/crawl; }
teardown() {
  stop_site
  [[ -z ${running-} ]] || pkill -KILL -s "$running" || true  # its stages outlive it
  end_jobs
}
