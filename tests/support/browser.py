# SPDX-License-Identifier: Apache-2.0
"""Debian's chromium, headless, on loopback alone, spoken to over a pipe (Chrome DevTools Protocol: JSON, each ended by NUL).

    with Browser() as browser:
        browser.open("http://127.0.0.1:8080/")
        browser.wait("document.querySelector('#records')")
        browser.requests, browser.complaints    # URLs that it loaded; what its console said
"""
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE = 120  # seconds, since a machine may be busy


class Browser:
    def __enter__(self):
        self.home = tempfile.mkdtemp()
        commands, self.out = os.pipe()
        self.answers, said = os.pipe()
        # The browser takes commands from 3 and answers on 4, whatever these are here.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{said}', "browser", "chromium", "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
             "--disable-extensions", "--disable-sync", "--no-first-run", "--no-proxy-server",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--user-data-dir=" + self.home,
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(commands, said), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home}, start_new_session=True)
        os.close(commands)
        os.close(said)
        self.pending, self.last, self.session = b"", 0, None
        self.requests, self.complaints = [], []
        page = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self, until):
        while b"\0" not in self.pending:
            if not select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser says nothing")
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                raise EOFError("the browser has ended")
            self.pending += piece
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer.get("method"), answer.get("params"))

    def note(self, event, details):
        if event == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        elif event == "Log.entryAdded":
            self.complaints.append(details["entry"]["text"])
        elif event == "Runtime.exceptionThrown":
            self.complaints.append(details["exceptionDetails"]["text"])

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.readyState !== 'loading' && location.href !== 'about:blank'")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def is_sound(self, own):
        """Whether a page of ours loads nothing but what begins with `own`, shows no markup of others, and has its console say
        nothing; and the words for it where it does not."""
        foreign = [each for each in self.requests if not each.startswith(own) and each != "about:blank"]
        alive = self.value("[...document.querySelectorAll('main u, main script, main img')].map(e => e.outerHTML)")
        words = [f"it loaded {foreign}"] * bool(foreign) + [f"this came alive: {alive}"] * bool(alive)
        words += [f"the console says {self.complaints}"] * bool(self.complaints)
        return not words, "; ".join(words)

    def wait(self, condition):
        """Until that expression of JavaScript is true; a page that is just being replaced has no values."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if self.value(f"!!({condition})"):
                    return
            except RuntimeError:
                pass
            time.sleep(0.1)
        raise TimeoutError(f"not within {PATIENCE} s: {condition}\n" + (self.value("document.body.innerText") or "")[:2000])
