//! A session of people who play in the browser: their pages, and their moves. The caller runs the
//! matches, calls [`PlaySession::observe`] and obeys [`Command`]s.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arbiter::Arbiter;
use games::session::PlyByPly;
use games::{Rules, Session};
use play::players::PersonInput;
use protocol::{BotMove, FromBot, Record};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::http::access::{new_token, same_secret};
use crate::http::answer::Refusal;
use crate::matches::match_page::info_view;
use crate::matches::views::{Viewpoint, view};
use crate::playing::rules_card::card;
use crate::state::events::{Listeners, event};
use crate::words::{encoded, result_in_words};

/// A request to the caller, which runs the matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Start again after these plies.
    Undo(Vec<String>),
    /// Play another match.
    Rematch,
}

pub struct PlaySession {
    rules: Arc<dyn Rules>,
    /// The names of all players, in seat order.
    names: Vec<String>,
    guide: String,
    seats: BTreeMap<usize, PersonSeat>,
    current: Mutex<CurrentMatch>,
    commands: mpsc::UnboundedSender<Command>,
}

struct PersonSeat {
    /// Authorizes its owner to play this seat.
    token: String,
    listeners: Listeners,
}

#[derive(Default)]
struct CurrentMatch {
    inputs: BTreeMap<usize, PersonInput>,
    /// The page of each person.
    page: BTreeMap<usize, Value>,
    /// The seats to move, with the ply and the legal moves.
    asked: BTreeMap<usize, (u32, Vec<String>)>,
    /// The position at the start, and all plies so far.
    start: Option<Box<dyn Session>>,
    moves: Vec<(Option<usize>, String)>,
    /// Time and info of each ply.
    extras: Vec<Value>,
    /// Time left on the game clocks, in milliseconds.
    clocks: Vec<Option<f64>>,
    /// The first plies, made before anybody played, cannot be taken back.
    opening: usize,
    is_over: bool,
    /// Another match is about to begin.
    is_ending: bool,
    /// The last update: the number of plies, the seats to move, and the end.
    shown: Option<(usize, Vec<usize>, bool)>,
    /// The ply of each person's last answer, so that no move is requested twice.
    answered: BTreeMap<usize, u32>,
    /// Counts updates. A page drops any that is older than its own.
    version: u64,
    /// The number of the match in this session, from 1.
    number: u64,
}

impl CurrentMatch {
    /// Updates a person's page.
    fn show(&mut self, seat: usize, person: &PersonSeat, mut page: Value) {
        self.version += 1;
        page["version"] = json!(self.version);
        person.listeners.send(&event("play", &page.to_string()));
        self.page.insert(seat, page);
    }

    /// Disables a person's page until the match continues.
    fn disable(&mut self, seat: usize, person: &PersonSeat) {
        self.asked.remove(&seat);
        if let Some(mut page) = self.page.get(&seat).cloned() {
            page["legal"] = json!([]);
            page["can_undo"] = json!(false);
            self.show(seat, person, page);
        }
    }
}

impl PlaySession {
    /// A session of this game in which people take these seats. Their requests come through the
    /// receiver.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn new(
        rules: Arc<dyn Rules>,
        names: Vec<String>,
        people: &[usize],
    ) -> std::io::Result<(Arc<Self>, mpsc::UnboundedReceiver<Command>)> {
        let (commands, asked) = mpsc::unbounded_channel();
        let mut seats = BTreeMap::new();
        for &seat in people {
            let seated = PersonSeat {
                token: new_token()?,
                listeners: Listeners::default(),
            };
            seats.insert(seat, seated);
        }
        let guide = card(&*rules);
        let play = PlaySession {
            rules,
            names,
            guide,
            seats,
            current: Mutex::default(),
            commands,
        };
        Ok((Arc::new(play), asked))
    }

    /// The rest of the address for each person, by seat.
    pub fn links(&self) -> Vec<(usize, String)> {
        let seats = self.seats.iter();
        let links = seats.map(|(&seat, person)| {
            let role = encoded(&self.rules.roles()[seat]);
            (seat, format!("?token={}#/play/{role}", person.token))
        });
        links.collect()
    }

    fn current(&self) -> MutexGuard<'_, CurrentMatch> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn seat_of(&self, token: Option<&str>) -> Result<usize, Refusal> {
        let mut seats = self.seats.iter();
        let own = seats.find(|(_, person)| same_secret(&person.token, token.unwrap_or_default()));
        let own = own.map(|(&seat, _)| seat);
        own.ok_or_else(|| {
            Refusal::forbidden("the address has no token of a seat; open the link that was printed")
        })
    }

    /// A person's page, with the rules in words.
    pub(crate) fn page(&self, seat: usize) -> Result<Value, Refusal> {
        let page = self.current().page.get(&seat).cloned();
        let page = page.map(|page| self.with_guide(page));
        page.ok_or_else(|| Refusal::conflict("the match has not begun yet"))
    }

    fn with_guide(&self, mut page: Value) -> Value {
        page["game"]["guide_html"] = json!(self.guide);
        page
    }

    pub(crate) fn events(&self, seat: usize) -> axum::response::Response {
        // Held until the page listens, so that no update falls in between.
        let current = self.current();
        self.seats[&seat].listeners.join(|| {
            let page = current.page.get(&seat).cloned();
            page.map(|page| event("play", &self.with_guide(page).to_string()))
        })
    }

    /// Starts a match, in which `inputs` take the people's moves.
    pub fn begin(&self, inputs: BTreeMap<usize, PersonInput>, start: Box<dyn Session>) {
        let mut current = self.current();
        *current = CurrentMatch {
            inputs,
            opening: current.opening,
            version: current.version,
            number: current.number + 1,
            ..CurrentMatch::default()
        };
        for (&seat, person) in &self.seats {
            let mut page = self.page_of(seat, &*start, &current);
            page["message"] = json!("The match begins…");
            current.show(seat, person, page);
        }
        current.start = Some(start);
    }

    /// Sets the number of opening plies of future matches.
    pub fn set_opening(&self, plies: usize) {
        self.current().opening = plies;
    }

    /// Updates the pages after an event of the match.
    pub fn observe(&self, arbiter: &Arbiter) {
        let plies = arbiter.moves().len();
        let asked: Vec<usize> = if arbiter.is_in_play() {
            arbiter.awaited().collect()
        } else {
            Vec::new()
        };
        let mut current = self.current();
        let shown = (plies, asked.clone(), arbiter.is_over());
        if current.is_ending || current.shown.as_ref() == Some(&shown) {
            return;
        }
        current.shown = Some(shown);
        let new = &arbiter.moves()[current.moves.len().min(plies)..];
        current
            .moves
            .extend(new.iter().map(|ply| (ply.seat, ply.mv.to_string())));
        let extras = new
            .iter()
            .map(|ply| json!({"ms": ply.ms, "info": ply.info.as_ref().map(info_view)}));
        current.extras.extend(extras);
        current.is_over = arbiter.is_over();
        let ply = arbiter.session().ply();
        current.asked = asked
            .into_iter()
            .filter(|seat| self.seats.contains_key(seat))
            // Their answer is on its way to the arbiter.
            .filter(|seat| current.answered.get(seat) != Some(&ply))
            .map(|seat| {
                // Does not fail, as the person's turn contained this list.
                let legal = arbiter.session().fork().legal_of(seat);
                (seat, (ply, legal.unwrap_or_default()))
            })
            .collect();
        let seats = 0..self.names.len();
        let clocks = seats.map(|seat| {
            let left = arbiter.clock(seat).remaining();
            left.map(|left| left.as_secs_f64() * 1e3)
        });
        current.clocks = clocks.collect();
        for (&seat, person) in &self.seats {
            let page = self.page_of(seat, arbiter.session(), &current);
            current.show(seat, person, page);
        }
    }

    pub fn end(&self, record: &Record) {
        if self.current().is_ending {
            return;
        }
        let result = &record.result;
        let faults = result.faults.iter();
        let faults = faults
            .map(|fault| json!({"seat": fault.seat, "code": fault.code, "text": fault.message}));
        let result = json!({
            "scores": result.scores, "outcome": result.outcome, "reason": result.reason,
            "text": result_in_words(record), "faults": faults.collect::<Vec<_>>(),
        });
        let mut current = self.current();
        current.is_over = true;
        current.asked.clear();
        for (&seat, person) in &self.seats {
            let Some(mut page) = current.page.get(&seat).cloned() else {
                continue;
            };
            page["result"] = result.clone();
            page["legal"] = json!([]);
            current.show(seat, person, page);
        }
    }

    /// A person's page. Contains only what their seat may know.
    fn page_of(&self, seat: usize, session: &dyn Session, current: &CurrentMatch) -> Value {
        let info = self.rules.info();
        let by = if info.hidden {
            Viewpoint::Seat(seat)
        } else {
            Viewpoint::All
        };
        let is_known = |actor: Option<usize>| !info.hidden || actor == Some(seat);
        let moves = current.moves.iter().enumerate();
        let moves = moves.filter(|(_, (actor, _))| is_known(*actor));
        let moves = moves.map(|(at, (seat, text))| {
            let mut played = json!({"seat": seat, "text": text});
            if let Some(extra) = current.extras.get(at) {
                played["ms"] = extra["ms"].clone();
                played["info"] = extra["info"].clone();
            }
            played
        });
        let to_move = session.to_move().seats().filter(|it| is_known(Some(*it)));
        let asked = current.asked.get(&seat);
        json!({
            "game": {"id": info.id, "title": info.title},
            "roles": self.rules.roles(),
            "seat": seat,
            "players": self.names,
            "number": current.number,
            "ply": session.ply(),
            "to_move": to_move.collect::<Vec<_>>(),
            "view": view(session, by).ok(),
            "last": moves.collect::<Vec<_>>(),
            "legal": asked.map_or(&[][..], |(_, legal)| legal),
            "clocks_ms": current.clocks,
            "result": null,
            "can_undo": self.remaining_plies(seat, current).is_some(),
            "hidden": info.hidden,
            "message": null,
        })
    }

    /// The remaining plies if a person takes their last move back. `None` if they cannot, as another
    /// person has seen it, or hidden information would be revealed.
    fn remaining_plies(&self, seat: usize, current: &CurrentMatch) -> Option<Vec<String>> {
        if self.seats.len() > 1 || self.rules.info().hidden {
            return None;
        }
        let own = |(actor, _): &(Option<usize>, String)| *actor == Some(seat);
        let last = current.moves.iter().rposition(own)?;
        let mut session = current.start.as_ref()?.fork();
        let mut step = PlyByPly::default();
        let mut whole = 0;
        // Simultaneous moves are taken back together.
        for (at, (_, text)) in current.moves[..last].iter().enumerate() {
            step.add(&mut *session, text).ok()?;
            if step.is_whole() {
                whole = at + 1;
            }
        }
        let stays = current.moves[..whole].iter().map(|(_, text)| text.clone());
        (whole >= current.opening).then(|| stays.collect())
    }

    /// Plays a move at this ply of the match with this number, if given. Returns the version of the
    /// updated page.
    pub(crate) fn play(
        &self,
        seat: usize,
        mv: &str,
        ply: u32,
        number: Option<u64>,
    ) -> Result<u64, Refusal> {
        let mut current = self.current();
        let (asked, legal) = current
            .asked
            .get(&seat)
            .ok_or_else(|| Refusal::conflict("it is not your turn"))?;
        if *asked != ply || number.is_some_and(|number| number != current.number) {
            return Err(Refusal::conflict("the position is another one by current"));
        }
        if !legal.iter().any(|known| known == mv) {
            return Err(Refusal::wrong("that move is not legal"));
        }
        let answer = FromBot::Move(BotMove {
            mv: mv.into(),
            ply: Some(ply),
            info: None,
        });
        self.send(seat, answer, &mut current, ply)
    }

    /// Resigns the match with this number, if given.
    pub(crate) fn resign(&self, seat: usize, number: Option<u64>) -> Result<u64, Refusal> {
        let mut current = self.current();
        if number.is_some_and(|number| number != current.number) {
            return Err(Refusal::conflict("that match is over"));
        }
        let Some(&(ply, _)) = current.asked.get(&seat) else {
            return Err(Refusal::conflict("you can resign when it is your turn"));
        };
        self.send(seat, FromBot::Resign {}, &mut current, ply)
    }

    fn send(
        &self,
        seat: usize,
        answer: FromBot,
        current: &mut CurrentMatch,
        ply: u32,
    ) -> Result<u64, Refusal> {
        let input = current.inputs.get(&seat);
        let sent = input.is_some_and(|input| input.send(answer).is_ok());
        if !sent {
            return Err(Refusal::conflict("the match is over"));
        }
        // Holds until the match continues, which takes a moment.
        current.answered.insert(seat, ply);
        current.disable(seat, &self.seats[&seat]);
        Ok(current.version)
    }

    /// Takes back the last move in the match with this number, if given.
    pub(crate) fn undo(&self, seat: usize, number: Option<u64>) -> Result<u64, Refusal> {
        let mut current = self.current();
        if number.is_some_and(|number| number != current.number) {
            return Err(Refusal::conflict("the position is another one by current"));
        }
        let stays = self.remaining_plies(seat, &current);
        let stays = stays.ok_or_else(|| Refusal::conflict("there is nothing to take back"))?;
        self.command(Command::Undo(stays), &mut current)
    }

    /// Requests another match after the one with this number, if given. If two people request one at
    /// once, both get the same match.
    pub(crate) fn rematch(&self, number: Option<u64>) -> Result<u64, Refusal> {
        let mut current = self.current();
        let has_begun = number.is_some_and(|number| number < current.number);
        if has_begun || current.is_ending {
            return Ok(current.version);
        }
        if !current.is_over {
            return Err(Refusal::conflict("the match is not over"));
        }
        self.command(Command::Rematch, &mut current)
    }

    /// Requests another match. The current one is frozen until it begins.
    fn command(&self, command: Command, current: &mut CurrentMatch) -> Result<u64, Refusal> {
        let sent = self.commands.send(command);
        sent.map_err(|_| Refusal::conflict("no more matches are played"))?;
        current.is_over = false;
        current.moves.clear();
        for (&seat, person) in &self.seats {
            if let Some(page) = current.page.get_mut(&seat) {
                page["result"] = Value::Null;
            }
            current.disable(seat, person);
        }
        // Further updates by the current match's arbiter are ignored.
        current.is_ending = true;
        Ok(current.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play_session(people: &[usize]) -> Arc<PlaySession> {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let start = rules.start(0).unwrap();
        let names = ["human".to_owned(), "mcts".to_owned()].to_vec();
        let (play, _) = PlaySession::new(rules, names, people).unwrap();
        play.begin(BTreeMap::new(), start);
        play
    }

    #[test]
    fn a_token_is_for_one_seat() {
        let play = play_session(&[0, 1]);
        let links = play.links();
        let token = |at: usize| links[at].1[7..39].to_owned();
        assert!(links[1].1.ends_with("#/play/dark"));
        assert_eq!(play.seat_of(Some(&token(1))).unwrap(), 1);
        assert_eq!(play.seat_of(Some(&token(0))).unwrap(), 0);
        assert!(play.seat_of(Some("")).is_err() && play.seat_of(None).is_err());
    }

    #[test]
    fn moves_are_taken_back_up_to_the_own_one() {
        let play = play_session(&[0]);
        let moves = [(0, "a2-a3/c3"), (1, "b5-b4/b5")];
        let mut current = play.current();
        current.moves = moves.map(|(seat, mv)| (Some(seat), mv.to_owned())).to_vec();
        assert_eq!(play.remaining_plies(0, &current), Some(vec![]));
        current.moves.push((Some(0), "a3-a2/a3".to_owned()));
        assert_eq!(play.remaining_plies(0, &current).unwrap().len(), 2);
        current.opening = 3;
        assert_eq!(play.remaining_plies(0, &current), None, "the opening stays");
        drop(current);
        let refused = play.play(0, "a2-a3/c3", 0, None);
        assert!(refused.is_err(), "it is not asked");
    }

    #[test]
    fn nobody_is_asked_twice_and_what_is_newer_has_a_higher_version() {
        let play = play_session(&[0]);
        let mut start = play.current().start.as_ref().unwrap().fork();
        let (input, mut output) = mpsc::unbounded_channel();
        play.begin([(0, input)].into(), start.fork());
        let version = |play: &PlaySession| play.page(0).unwrap()["version"].as_u64().unwrap();
        let legal = start.legal_of(0).unwrap();
        let begun = version(&play);
        play.current().asked.insert(0, (0, legal.clone()));
        assert!(
            play.play(0, &legal[0], 0, Some(1)).is_err(),
            "another match"
        );
        assert!(play.play(0, &legal[0], 1, Some(2)).is_err(), "another ply");
        let after = play.play(0, &legal[0], 0, Some(2)).unwrap();
        assert!(after > begun && version(&play) == after);
        assert_eq!(play.page(0).unwrap()["legal"], json!([]));
        assert!(output.try_recv().is_ok());
        // The arbiter has not received the answer yet, and still awaits the seat.
        assert_eq!(play.current().answered.get(&0), Some(&0));
        assert!(play.play(0, &legal[0], 0, Some(2)).is_err(), "twice");
        assert!(play.resign(0, None).is_err());
    }

    #[test]
    fn what_is_asked_of_a_match_that_is_gone_does_nothing_to_the_next_one() {
        let play = play_session(&[0]);
        let start = play.current().start.as_ref().unwrap().fork();
        let (input, mut output) = mpsc::unbounded_channel();
        play.begin([(0, input)].into(), start);
        let mut current = play.current();
        current.asked.insert(0, (0, vec!["a2-a3/c3".to_owned()]));
        current.moves = vec![(Some(0), "a2-a3/c3".to_owned())];
        drop(current);
        assert!(play.resign(0, Some(1)).is_err() && play.undo(0, Some(1)).is_err());
        assert!(output.try_recv().is_err(), "nobody has given up");
        // The next match after the first one has begun; the one after that has not.
        assert!(play.rematch(Some(1)).is_ok());
        assert!(play.rematch(Some(2)).is_err(), "the match goes on");
        assert!(play.resign(0, Some(2)).is_ok() && output.try_recv().is_ok());
    }

    #[tokio::test]
    async fn a_page_that_is_opened_during_an_update_has_it() {
        use std::future::poll_fn;
        use std::pin::Pin;
        use std::time::Duration;

        use axum::body::HttpBody as _;
        use tokio::time::timeout;

        let play = play_session(&[0]);
        let start = play.current().start.as_ref().unwrap().fork();
        let mut opened = Vec::new();
        for _ in 0..100 {
            let (player, start) = (play.clone(), start.fork());
            let updates = std::thread::spawn(move || {
                (0..10).for_each(|_| player.begin(BTreeMap::new(), start.fork()));
            });
            while !updates.is_finished() {
                opened.push(play.events(0).into_body());
            }
            updates.join().unwrap();
            let version = play.page(0).unwrap()["version"].as_u64().unwrap();
            let newest = format!("\"version\":{version}");
            for mut events in opened.drain(..) {
                loop {
                    let frame = poll_fn(|cx| Pin::new(&mut events).poll_frame(cx));
                    let frame = timeout(Duration::from_secs(60), frame).await;
                    let frame = frame.expect("the update was lost").unwrap().unwrap();
                    if String::from_utf8_lossy(&frame.into_data().unwrap()).contains(&newest) {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn two_people_who_want_another_match_at_once_get_one() {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let start = rules.start(0).unwrap();
        let names = ["human".to_owned(), "human 2".to_owned()].to_vec();
        let (play, mut commands) = PlaySession::new(rules, names, &[0, 1]).unwrap();
        play.begin(BTreeMap::new(), start);
        play.current().is_over = true;
        assert!(play.rematch(Some(1)).is_ok() && play.rematch(Some(1)).is_ok());
        assert_eq!(commands.try_recv(), Ok(Command::Rematch));
        assert!(commands.try_recv().is_err());
    }
}
