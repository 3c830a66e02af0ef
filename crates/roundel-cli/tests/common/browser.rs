//! A headless Chromium, driven through the pipes of its debugging protocol.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Longer than anything takes here, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(90);

/// One tab.
pub(crate) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    calls: u64,
    session: Option<String>,
    /// Errors and warnings that the page caused.
    pub(crate) complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// `None`, and a message, where there is no Chromium.
    pub(crate) fn start() -> Option<Browser> {
        let exists = |name: &&str| {
            let found =
                Command::new("sh").args(["-c", "command -v \"$0\"", name]).stdout(Stdio::null()).status();
            found.is_ok_and(|status| status.success())
        };
        let Some(name) = NAMES.into_iter().find(exists) else {
            eprintln!("SKIPPED: there is no Chromium here; install the package chromium");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        // It reads commands from descriptor 3 and writes answers to 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", name])
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--remote-debugging-pipe", &format!("--user-data-dir={}", profile.path().display())])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0) {
                let message = message.ok().and_then(|message| serde_json::from_slice(&message).ok());
                if message.is_none_or(|message: Value| send.send(message).is_err()) {
                    return;
                }
            }
        });
        let (complaints, session) = (Vec::new(), None);
        let mut browser = Browser { child, to, from, calls: 0, session, complaints, _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session =
            browser.call("Target.attachToTarget", attach)["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut command = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            command["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let message =
                self.from.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if message["id"] == self.calls {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.listen(&message);
        }
    }

    fn listen(&mut self, event: &Value) {
        let params = &event["params"];
        let complaint = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                ["error", "warning"].iter().any(|kind| params["type"] == *kind)
            }
            Some("Log.entryAdded") => {
                ["error", "warning"].iter().any(|level| params["entry"]["level"] == *level)
            }
            _ => false,
        };
        if complaint {
            self.complaints.push(params.to_string());
        }
    }

    /// Opens a report in a window of this width, and waits until it is drawn: so long it took.
    pub(crate) fn open(&mut self, file: &Path, width: usize, scheme: &str) -> Duration {
        let metrics = json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
        let began = Instant::now();
        self.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        while self.eval("document.documentElement?.dataset.ready ?? ''") != "yes" {
            assert!(began.elapsed() < PATIENCE, "the page is not drawn: {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(20));
        }
        began.elapsed()
    }

    /// The value of an expression in the page.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// A number that is a count.
    pub(crate) fn count(&mut self, expression: &str) -> usize {
        self.eval(expression).as_f64().unwrap() as usize
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
