#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `crawl --live` in a browser: live-page.py URL TOKEN SERVER_ID, beside a crawl that goes on while this looks.

It follows the crawl by itself; nothing of hostile pages comes alive; only who has the token steers; what was opened or
half typed stays; and it says when its server (process SERVER_ID, which ends here) is no more."""
import os
import signal
import sys

from browser import Browser

URL, TOKEN, SERVER = sys.argv[1], sys.argv[2], int(sys.argv[3])
RECORDS = "+document.querySelector('#records').dataset.value"
SETTING = "document.querySelector('.now[data-setting]').dataset.setting"


def check(holds, words):
    if not holds:
        sys.exit("live-page: " + words)


def steer(browser, value):
    """Clicks, and waits for the page that answers."""
    browser.value(f"window.old = true; document.querySelector('button[value=\"{value}\"]').click()")
    browser.wait("!window.old && document.querySelector('.now[data-setting]')")


with Browser() as browser:
    browser.open(URL + "/")
    before = browser.value(RECORDS)
    browser.wait(f"{RECORDS} > {before}")
    check(browser.value("document.querySelectorAll('svg').length") > 1, "it has no charts")
    check(browser.value("document.querySelectorAll('button, input, form').length") == 0, "without the token it has buttons")
    check(*browser.is_sound(URL + "/"))
    check(browser.value("document.querySelector('#lost').hidden"), "it says that its server is gone")

    browser.open(f"{URL}/?token={TOKEN}")
    browser.wait("document.querySelector('details')")  # until the list is long enough
    browser.value("document.querySelector('details').open = true; document.querySelector('[name=rate]').value = '7'")
    before = browser.value(RECORDS)
    browser.wait(f"{RECORDS} > {before}")
    check(browser.value("document.querySelector('details').open"), "an event closed what was open")
    check(browser.value("document.querySelector('[name=rate]').value") == "7", "an event took what was half typed")
    steer(browser, "pause")
    browser.wait(f"{SETTING} === 'paused'")
    browser.value("document.querySelector('[name=rate]').value = '50'")
    steer(browser, "rate")
    steer(browser, "go-on")
    browser.wait(f"{SETTING}.includes('50')")

    check(*browser.is_sound(URL + "/"))
    os.kill(SERVER, signal.SIGTERM)
    browser.wait("!document.querySelector('#lost').hidden")
