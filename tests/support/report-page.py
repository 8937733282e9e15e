#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A written report in a browser: report-page.py FILE. It has its charts, loads nothing, shows nothing of hostile pages alive, and
fits a telephone's screen: what is wider scrolls by itself."""
import os
import sys

from browser import Browser

with Browser() as browser:
    place = "file://" + os.path.realpath(sys.argv[1])
    browser.open(place)
    sound, words = browser.is_sound(place)
    if not sound or browser.value("document.querySelectorAll('svg').length") < 2:
        sys.exit("report-page: " + (words or "it has no charts"))
    browser.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=True)
    width = browser.value("document.documentElement.scrollWidth")
    if width > 360:
        sys.exit(f"report-page: it is {width} pixels wide on a screen of 360")
