//! A GDL player over HTTP, like those of other people: it knows nothing of the referee. It moves at
//! random, or misbehaves from some request on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use games::Rng;
use gdl::{Kif, Names, SheetGame, Steps};

/// A bot of ours as a player that prints its address.
pub(crate) const GGP_PLAYER: [&str; 7] = [
    "ggp-player",
    "--port",
    "0",
    "--",
    "referee",
    "bot",
    "random",
];

/// A player's misbehaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Plays,
    /// It reads the request, and leaves the connection open.
    Silent,
    /// It answers nonsense.
    Rubbish,
    /// It answers `nil`.
    Nil,
    /// It answers after this time.
    Late(Duration),
    Closes,
    /// It closes the connection in the middle of its answer.
    BreaksOff,
    /// It believes that it plays another match until that one is aborted.
    Busy,
}

/// A player that listens until the test is over.
pub(crate) struct GgpPlayer {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl GgpPlayer {
    /// A player that behaves in this way from the `PLAY` with this number on.
    pub(crate) fn new(seed: u64, from: usize, way: Way) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut mind = Mind {
            rng: Rng::new(seed),
            from,
            way,
            plays: 0,
            playing: None,
            is_busy: way == Way::Busy,
        };
        let requests = asked.clone();
        thread::spawn(move || {
            // What it leaves open.
            let mut open = Vec::new();
            for stream in listener.incoming().flatten() {
                open.extend(mind.serve(stream, &requests));
            }
        });
        GgpPlayer { port, asked }
    }

    /// A line of a configuration.
    pub(crate) fn key(&self) -> String {
        format!("ggp = \"http://127.0.0.1:{}\"", self.port)
    }

    /// Requests in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

/// A closed port.
pub(crate) fn no_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

struct Mind {
    rng: Rng,
    from: usize,
    way: Way,
    plays: usize,
    playing: Option<(Steps, usize)>,
    is_busy: bool,
}

impl Mind {
    /// Answers one request. Returns the connection if it stays open.
    fn serve(&mut self, stream: TcpStream, requests: &Mutex<Vec<String>>) -> Option<TcpStream> {
        let body = read(&stream)?;
        requests.lock().expect("no panic").push(body.clone());
        let answer = self.answer(&body);
        let whole = |text: &str| {
            let length = text.len();
            // With the line ends that some players write.
            format!("HTTP/1.0 200 OK\nContent-type: text/acl\nContent-length: {length}\n\n{text}")
        };
        let wrong = body.starts_with("(PLAY") && self.plays > self.from;
        let mut to = &stream;
        let _ = match self.way {
            Way::Silent if wrong => return Some(stream),
            Way::Closes if wrong => Ok(()),
            Way::BreaksOff if wrong => to.write_all(&whole(&answer).as_bytes()[..60]),
            Way::Rubbish if wrong => to.write_all(whole("((mark").as_bytes()),
            Way::Nil if wrong => to.write_all(whole("nil").as_bytes()),
            Way::Late(time) if wrong => {
                thread::sleep(time);
                to.write_all(whole(&answer).as_bytes())
            }
            _ => to.write_all(whole(&answer).as_bytes()),
        };
        None
    }

    fn answer(&mut self, body: &str) -> String {
        let request = Kif::read(body).expect("requests are lists");
        let parts = request.list().expect("requests are lists");
        match request.head().expect("requests have names") {
            "INFO" => "( (name Tester)\r\n (status available) )".to_owned(),
            "START" if self.is_busy => "busy".to_owned(),
            "START" => {
                self.start(&parts[2], &parts[3]);
                " READY ".to_owned()
            }
            "PLAY" => {
                self.plays += 1;
                self.step(&parts[2]);
                let (steps, role) = self.playing.as_ref().expect("START came first");
                let legal = steps.legal(*role);
                let mv = &legal[self.rng.index(legal.len())];
                // Players without regard to case answer like this.
                mv.to_uppercase().replace(' ', "\t ")
            }
            "STOP" => {
                self.step(&parts[2]);
                let (steps, _) = self.playing.take().expect("START came first");
                assert!(steps.is_over(), "{body}");
                "done".to_owned()
            }
            "ABORT" => {
                (self.playing, self.is_busy) = (None, false);
                "aborted".to_owned()
            }
            _ => panic!("{body}"),
        }
    }

    fn start(&mut self, role: &Kif, sheet: &Kif) {
        let text = sheet.to_string();
        let rules = &text[1..text.len() - 1];
        let names = Names {
            id: "own",
            own_id: "own",
        };
        let game = SheetGame::new(&names, rules).expect("a sheet");
        let steps = Steps::of(&*game.rules).expect("a sheet").expect("a start");
        let mut roles = steps.roles().iter();
        let role = roles.position(|name| Some(&**name) == role.word());
        self.playing = Some((steps, role.expect("a role of the sheet")));
    }

    fn step(&mut self, moves: &Kif) {
        let (steps, _) = self.playing.as_mut().expect("START came first");
        if let Some(moves) = moves.list() {
            let moves: Vec<String> = moves.iter().map(Kif::to_string).collect();
            for (role, mv) in moves.iter().enumerate() {
                let spelled = steps.find(role, mv);
                assert_eq!(
                    spelled.as_ref(),
                    Some(mv),
                    "names are spelled as in the sheet"
                );
            }
            steps.make(&moves).expect("a legal step");
        }
    }
}

/// The body of a request, read as simple players do.
fn read(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let (line, prefix) = (line.trim(), "Content-Length: ");
        if line.is_empty() {
            break;
        }
        assert!(!line.starts_with("Transfer-Encoding"), "no chunks");
        if let Some(number) = line.strip_prefix(prefix) {
            length = number.parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok()
}
