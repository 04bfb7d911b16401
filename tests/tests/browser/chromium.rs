//! A headless Chromium, driven through WebDriver.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tests::needs;
use tokio::runtime::Runtime;

/// Time limit for a page to show something. No test depends on a fast machine.
const TIMEOUT: Duration = Duration::from_secs(300);
/// Polling interval.
const LOOK: Duration = Duration::from_millis(50);

/// A browser with one page.
pub(crate) struct Browser {
    runtime: Runtime,
    client: Option<Client>,
    driver: Child,
    port: u16,
}

impl Browser {
    /// A browser with a window of this size. Without Chromium, returns `None` and records the test
    /// as skipped.
    pub(crate) fn open(width: u32, height: u32) -> Option<Self> {
        let Some((driver, port)) = start_driver() else {
            needs::skip("there is no `chromedriver` (Debian's chromium-driver)");
            return None;
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let mut browser = Browser {
            runtime,
            client: None,
            driver,
            port,
        };
        let capabilities = capabilities(width, height);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities.as_object().unwrap().clone());
        let address = format!("http://127.0.0.1:{port}");
        let client = browser.runtime.block_on(builder.connect(&address));
        browser.client = Some(client.unwrap());
        Some(browser)
    }

    fn client(&self) -> &Client {
        self.client.as_ref().unwrap()
    }

    /// Opens a page. Another address of the same page only changes its content.
    pub(crate) fn go(&self, url: &str) {
        self.runtime.block_on(self.client().goto(url)).unwrap();
    }

    /// Runs a script in the page, and returns its result.
    pub(crate) fn run(&self, script: &str) -> Value {
        let ran = self.client().execute(script, Vec::new());
        self.runtime
            .block_on(ran)
            .unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The value of an expression in the page, as text.
    pub(crate) fn text(&self, expression: &str) -> String {
        let value = self.run(&format!("return String({expression})"));
        value.as_str().unwrap().to_owned()
    }

    /// Waits until an expression is true in the page.
    pub(crate) fn wait(&self, expression: &str) {
        let script = format!("return Boolean({expression})");
        let start = Instant::now();
        while self.run(&script) != json!(true) {
            if start.elapsed() > TIMEOUT {
                let page = self.text("document.body.innerText.slice(0, 3000)");
                panic!("never: {expression}\n{page}\n{:?}", self.complaints());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until the page has this text.
    pub(crate) fn wait_for_text(&self, text: &str) {
        let text = json!(text);
        self.wait(&format!("document.body.innerText.includes({text})"));
    }

    /// Clicks on the first matching element, once it is there.
    pub(crate) fn click(&self, css: &str) {
        let start = Instant::now();
        loop {
            self.wait(&format!("document.querySelector({})", json!(css)));
            let clicked = self.runtime.block_on(async {
                let element = self.client().find(Locator::Css(css)).await?;
                element.click().await
            });
            match clicked {
                Ok(()) => return,
                // The page was redrawn between finding it and clicking on it.
                Err(error)
                    if (error.is_stale_element_reference() || error.is_no_such_element())
                        && start.elapsed() < TIMEOUT => {}
                Err(error) => panic!("a click on {css}: {error}"),
            }
        }
    }

    /// Presses keys at the focus.
    pub(crate) fn press(&self, keys: &str) {
        let pressed = async {
            let active = self.client().active_element().await?;
            active.send_keys(keys).await
        };
        self.runtime.block_on(pressed).unwrap();
    }

    /// The whole page, including the parts outside of the window, as PNG.
    pub(crate) fn whole_picture(&self) -> Vec<u8> {
        let size = self.run(
            "const page = document.documentElement; \
             return { x: 0, y: 0, scale: 1, width: page.clientWidth, height: Math.min(6000, page.scrollHeight) }",
        );
        let whole = json!({"captureBeyondViewport": true, "clip": size});
        let taken = self.devtools("Page.captureScreenshot", &whole);
        let text = taken["data"].as_str().unwrap_or_default();
        let values = text.bytes().filter_map(|byte| match byte {
            b'A'..=b'Z' => Some(byte - b'A'),
            b'a'..=b'z' => Some(byte - b'a' + 26),
            b'0'..=b'9' => Some(byte - b'0' + 52),
            b'+' => Some(62),
            b'/' => Some(63),
            _ => None,
        });
        let values: Vec<u8> = values.collect();
        let bytes = values.chunks(4).flat_map(|four| {
            let bits = four
                .iter()
                .fold(0_u32, |bits, value| bits << 6 | u32::from(*value));
            let bits = bits << (6 * (4 - four.len()));
            bits.to_be_bytes()[1..four.len()].to_vec()
        });
        bytes.collect()
    }

    /// The answer to a command of Chromium's own protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.ask_driver("goog/cdp/execute", &body)
    }

    /// Errors in the console since the last time: broken scripts, refused sources.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.ask_driver("se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        severe.map(|entry| entry["message"].to_string()).collect()
    }

    /// Sends a non-standard command.
    fn ask_driver(&self, command: &str, body: &Value) -> Value {
        let session = self.runtime.block_on(self.client().session_id());
        let session = session.unwrap().unwrap();
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!(
            "POST /session/{session}/{command} HTTP/1.1\r\nHost: 127.0.0.1\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let answer: Value = serde_json::from_slice(&body_of(stream)).unwrap_or_default();
        answer["value"].clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.close());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The body of an answer. The driver leaves all connections open, even on `Connection: close`.
fn body_of(stream: TcpStream) -> Vec<u8> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(number) = line.strip_prefix("content-length:") {
            length = number.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    body
}

/// A driver, and the port at which it listens.
fn start_driver() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let lines = BufReader::new(driver.stdout.take()?).lines();
    for line in lines.map_while(Result::ok) {
        let Some((_, port)) = line.split_once("successfully on port ") else {
            continue;
        };
        return Some((driver, port.trim_end_matches('.').parse().ok()?));
    }
    let _ = driver.kill();
    let _ = driver.wait();
    None
}

fn capabilities(width: u32, height: u32) -> Value {
    let mut options = json!({
        "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", format!("--window-size={},{height}", width.max(500)),
        ],
    });
    if width < 500 {
        let size = json!({"width": width, "height": height, "pixelRatio": 2.0});
        options["mobileEmulation"] = json!({"deviceMetrics": size});
    }
    json!({"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}})
}
