//! A table at which people sit in the browser: what each of them sees, and what they say. Who runs
//! the matches looks after them by [`Table::observe`], and hears what is asked for as [`Command`]s.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arbiter::Arbiter;
use games::session::PlyByPly;
use games::{Rules, Session};
use play::players::Voice;
use protocol::{BotMove, FromBot, Record};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::http::answer::Refusal;
use crate::http::guard::{new_token, same_secret};
use crate::matches::match_page::info_view;
use crate::matches::views::{SeenBy, view};
use crate::playing::rules_card::card;
use crate::state::events::{Listeners, event};
use crate::words::{encoded, result_in_words};

/// What people ask of who runs the matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// To begin again after these plies.
    Undo(Vec<String>),
    /// To play another match.
    Rematch,
}

/// A table with people.
pub struct Table {
    rules: Arc<dyn Rules>,
    /// The names of all players, in seat order.
    names: Vec<String>,
    /// The rules in words, as HTML.
    guide: String,
    seats: BTreeMap<usize, PersonSeat>,
    now: Mutex<Now>,
    commands: mpsc::UnboundedSender<Command>,
}

/// A seat that a person takes.
struct PersonSeat {
    /// What lets them speak for the seat.
    token: String,
    listeners: Listeners,
}

/// The match that is played now.
#[derive(Default)]
struct Now {
    voices: BTreeMap<usize, Voice>,
    /// What each person sees.
    seen: BTreeMap<usize, Value>,
    /// The seats that are asked: at which ply, and what is legal.
    asked: BTreeMap<usize, (u32, Vec<String>)>,
    /// The position at the start, and all plies so far.
    start: Option<Box<dyn Session>>,
    moves: Vec<(Option<usize>, String)>,
    /// How long each of these took, and what the bot said of it.
    said: Vec<Value>,
    /// What is left of the game clocks, in milliseconds.
    clocks: Vec<Option<f64>>,
    /// How many plies of these cannot be taken back: those before anybody played.
    opening: usize,
    is_over: bool,
    /// Another match is about to begin.
    is_ending: bool,
    /// What was shown last: plies and who is asked.
    shown: Option<(usize, Vec<usize>, bool)>,
    /// The ply at which each person has answered: nobody is asked for the same move twice.
    answered: BTreeMap<usize, u32>,
    /// Counts what people were shown. A page drops what is older than what it has.
    version: u64,
    /// The number of the match at this table, from 1.
    number: u64,
}

impl Now {
    /// Shows a person something new.
    fn show(&mut self, seat: usize, person: &PersonSeat, mut seen: Value) {
        self.version += 1;
        seen["version"] = json!(self.version);
        person.listeners.send(&event("play", &seen.to_string()));
        self.seen.insert(seat, seen);
    }

    /// A person has said something: until the match goes on, there is nothing more to say.
    fn has_answered(&mut self, seat: usize, person: &PersonSeat) {
        self.asked.remove(&seat);
        if let Some(mut seen) = self.seen.get(&seat).cloned() {
            seen["legal"] = json!([]);
            seen["can_undo"] = json!(false);
            self.show(seat, person, seen);
        }
    }
}

impl Table {
    /// A table of this game at which people take these seats; what they ask for comes by the
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
        let table = Table {
            rules,
            names,
            guide,
            seats,
            now: Mutex::default(),
            commands,
        };
        Ok((Arc::new(table), asked))
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

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The seat that this token is for.
    pub(crate) fn seat_of(&self, token: Option<&str>) -> Result<usize, Refusal> {
        let mut seats = self.seats.iter();
        let own = seats.find(|(_, person)| same_secret(&person.token, token.unwrap_or_default()));
        let own = own.map(|(&seat, _)| seat);
        own.ok_or_else(|| {
            Refusal::forbidden("the address has no token of a seat; open the link that was printed")
        })
    }

    /// What a person sees, with the rules in words.
    pub(crate) fn seen(&self, seat: usize) -> Result<Value, Refusal> {
        let now = self.now();
        let mut seen = now.seen.get(&seat).cloned();
        drop(now);
        if let Some(seen) = &mut seen {
            seen["game"]["guide_html"] = json!(self.guide);
        }
        seen.ok_or_else(|| Refusal::conflict("the match has not begun yet"))
    }

    /// The events of a person.
    pub(crate) fn events(&self, seat: usize) -> axum::response::Response {
        let first = self.seen(seat).ok();
        let first = first.map(|seen| event("play", &seen.to_string()));
        self.seats[&seat].listeners.join(first)
    }

    /// A match begins, in which people speak by these voices.
    pub fn begin(&self, voices: BTreeMap<usize, Voice>, start: Box<dyn Session>) {
        let mut now = self.now();
        *now = Now {
            voices,
            opening: now.opening,
            version: now.version,
            number: now.number + 1,
            ..Now::default()
        };
        for (&seat, person) in &self.seats {
            let mut seen = self.seen_by(seat, &*start, &now);
            seen["message"] = json!("The match begins…");
            now.show(seat, person, seen);
        }
        now.start = Some(start);
    }

    /// How many plies were made before anybody played, in the matches that begin from now on.
    pub fn set_opening(&self, plies: usize) {
        self.now().opening = plies;
    }

    /// Looks on at the match.
    pub fn observe(&self, arbiter: &Arbiter) {
        let plies = arbiter.moves().len();
        let asked: Vec<usize> = if arbiter.is_in_play() {
            arbiter.awaited().collect()
        } else {
            Vec::new()
        };
        let mut now = self.now();
        let shown = (plies, asked.clone(), arbiter.is_over());
        if now.is_ending || now.shown.as_ref() == Some(&shown) {
            return;
        }
        now.shown = Some(shown);
        let new = &arbiter.moves()[now.moves.len().min(plies)..];
        now.moves
            .extend(new.iter().map(|ply| (ply.seat, ply.mv.to_string())));
        let said = new
            .iter()
            .map(|ply| json!({"ms": ply.ms, "info": ply.info.as_ref().map(info_view)}));
        now.said.extend(said);
        now.is_over = arbiter.is_over();
        let ply = arbiter.session().ply();
        now.asked = asked
            .into_iter()
            .filter(|seat| self.seats.contains_key(seat))
            // Their answer is on its way to the arbiter.
            .filter(|seat| now.answered.get(seat) != Some(&ply))
            .map(|seat| {
                // Known: a person's turn has been made with this list.
                let legal = arbiter.session().fork().legal_of(seat);
                (seat, (ply, legal.unwrap_or_default()))
            })
            .collect();
        let seats = 0..self.names.len();
        let clocks = seats.map(|seat| {
            let left = arbiter.clock(seat).remaining();
            left.map(|left| left.as_secs_f64() * 1e3)
        });
        now.clocks = clocks.collect();
        for (&seat, person) in &self.seats {
            let seen = self.seen_by(seat, arbiter.session(), &now);
            now.show(seat, person, seen);
        }
    }

    /// The match is over.
    pub fn end(&self, record: &Record) {
        if self.now().is_ending {
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
        let mut now = self.now();
        now.is_over = true;
        now.asked.clear();
        for (&seat, person) in &self.seats {
            let Some(mut seen) = now.seen.get(&seat).cloned() else {
                continue;
            };
            seen["result"] = result.clone();
            seen["legal"] = json!([]);
            now.show(seat, person, seen);
        }
    }

    /// What a person sees now: nothing but what their seat may know.
    fn seen_by(&self, seat: usize, session: &dyn Session, now: &Now) -> Value {
        let info = self.rules.info();
        let by = if info.hidden {
            SeenBy::Seat(seat)
        } else {
            SeenBy::All
        };
        let is_known = |actor: Option<usize>| !info.hidden || actor == Some(seat);
        let moves = now.moves.iter().enumerate();
        let moves = moves.filter(|(_, (actor, _))| is_known(*actor));
        let moves = moves.map(|(at, (seat, text))| {
            let mut played = json!({"seat": seat, "text": text});
            if let Some(said) = now.said.get(at) {
                played["ms"] = said["ms"].clone();
                played["info"] = said["info"].clone();
            }
            played
        });
        let to_move = session.to_move().seats().filter(|it| is_known(Some(*it)));
        let asked = now.asked.get(&seat);
        json!({
            "game": {"id": info.id, "title": info.title},
            "roles": self.rules.roles(),
            "seat": seat,
            "players": self.names,
            "number": now.number,
            "ply": session.ply(),
            "to_move": to_move.collect::<Vec<_>>(),
            "view": view(session, by).ok(),
            "last": moves.collect::<Vec<_>>(),
            "legal": asked.map_or(&[][..], |(_, legal)| legal),
            "clocks_ms": now.clocks,
            "result": null,
            "can_undo": self.undone(seat, now).is_some(),
            "hidden": info.hidden,
            "message": null,
        })
    }

    /// The plies that stay if a person takes their last move back; `None` if they cannot: nobody
    /// takes back what another person has seen, or what would show what was hidden.
    fn undone(&self, seat: usize, now: &Now) -> Option<Vec<String>> {
        if self.seats.len() > 1 || self.rules.info().hidden {
            return None;
        }
        let own = |(actor, _): &(Option<usize>, String)| *actor == Some(seat);
        let last = now.moves.iter().rposition(own)?;
        let mut session = now.start.as_ref()?.fork();
        let mut step = PlyByPly::default();
        let mut whole = 0;
        // Those who acted at once take their moves back together.
        for (at, (_, text)) in now.moves[..last].iter().enumerate() {
            step.add(&mut *session, text).ok()?;
            if step.is_whole() {
                whole = at + 1;
            }
        }
        let stays = now.moves[..whole].iter().map(|(_, text)| text.clone());
        (whole >= now.opening).then(|| stays.collect())
    }

    /// A person moves: at this ply of the match with this number, if they say so. Gives the version of
    /// what they see then.
    pub(crate) fn play(
        &self,
        seat: usize,
        mv: &str,
        ply: u32,
        number: Option<u64>,
    ) -> Result<u64, Refusal> {
        let mut now = self.now();
        let (asked, legal) = now
            .asked
            .get(&seat)
            .ok_or_else(|| Refusal::conflict("it is not your turn"))?;
        if *asked != ply || number.is_some_and(|number| number != now.number) {
            return Err(Refusal::conflict("the position is another one by now"));
        }
        if !legal.iter().any(|known| known == mv) {
            return Err(Refusal::wrong("that move is not legal"));
        }
        let said = FromBot::Move(BotMove {
            mv: mv.into(),
            ply: Some(ply),
            info: None,
        });
        self.say(seat, said, &mut now, ply)
    }

    /// A person gives up the match with this number, if they say which.
    pub(crate) fn resign(&self, seat: usize, number: Option<u64>) -> Result<u64, Refusal> {
        let mut now = self.now();
        if number.is_some_and(|number| number != now.number) {
            return Err(Refusal::conflict("that match is over"));
        }
        let Some(&(ply, _)) = now.asked.get(&seat) else {
            return Err(Refusal::conflict("you can resign when it is your turn"));
        };
        self.say(seat, FromBot::Resign {}, &mut now, ply)
    }

    fn say(&self, seat: usize, said: FromBot, now: &mut Now, ply: u32) -> Result<u64, Refusal> {
        let voice = now.voices.get(&seat);
        let sent = voice.is_some_and(|voice| voice.send(said).is_ok());
        if !sent {
            return Err(Refusal::conflict("the match is over"));
        }
        // Until the match goes on, which takes a moment.
        now.answered.insert(seat, ply);
        now.has_answered(seat, &self.seats[&seat]);
        Ok(now.version)
    }

    /// A person takes back their last move in the match with this number, if they say which.
    pub(crate) fn undo(&self, seat: usize, number: Option<u64>) -> Result<u64, Refusal> {
        let mut now = self.now();
        if number.is_some_and(|number| number != now.number) {
            return Err(Refusal::conflict("the position is another one by now"));
        }
        let stays = self.undone(seat, &now);
        let stays = stays.ok_or_else(|| Refusal::conflict("there is nothing to take back"))?;
        self.command(Command::Undo(stays), &mut now)
    }

    /// A person wants another match after the one with this number, if they say which. When two
    /// people want that at once, both get the same match.
    pub(crate) fn rematch(&self, number: Option<u64>) -> Result<u64, Refusal> {
        let mut now = self.now();
        let has_begun = number.is_some_and(|number| number < now.number);
        if has_begun || now.is_ending {
            return Ok(now.version);
        }
        if !now.is_over {
            return Err(Refusal::conflict("the match is not over"));
        }
        self.command(Command::Rematch, &mut now)
    }

    /// Asks for another match, which begins in a moment: of this one, nothing more can be asked.
    fn command(&self, command: Command, now: &mut Now) -> Result<u64, Refusal> {
        let sent = self.commands.send(command);
        sent.map_err(|_| Refusal::conflict("no more matches are played"))?;
        now.is_over = false;
        now.moves.clear();
        for (&seat, person) in &self.seats {
            if let Some(seen) = now.seen.get_mut(&seat) {
                seen["result"] = Value::Null;
            }
            now.has_answered(seat, person);
        }
        // What the arbiter of this match still does is shown to nobody.
        now.is_ending = true;
        Ok(now.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(people: &[usize]) -> Arc<Table> {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let start = rules.start(0).unwrap();
        let names = ["human".to_owned(), "mcts".to_owned()].to_vec();
        let (table, _) = Table::new(rules, names, people).unwrap();
        table.begin(BTreeMap::new(), start);
        table
    }

    #[test]
    fn a_token_is_for_one_seat() {
        let table = table(&[0, 1]);
        let links = table.links();
        let token = |at: usize| links[at].1[7..39].to_owned();
        assert!(links[1].1.ends_with("#/play/dark"));
        assert_eq!(table.seat_of(Some(&token(1))).unwrap(), 1);
        assert_eq!(table.seat_of(Some(&token(0))).unwrap(), 0);
        assert!(table.seat_of(Some("")).is_err() && table.seat_of(None).is_err());
    }

    #[test]
    fn moves_are_taken_back_up_to_the_own_one() {
        let table = table(&[0]);
        let moves = [(0, "a2-a3/c3"), (1, "b5-b4/b5")];
        let mut now = table.now();
        now.moves = moves.map(|(seat, mv)| (Some(seat), mv.to_owned())).to_vec();
        assert_eq!(table.undone(0, &now), Some(vec![]));
        now.moves.push((Some(0), "a3-a2/a3".to_owned()));
        assert_eq!(table.undone(0, &now).unwrap().len(), 2);
        now.opening = 3;
        assert_eq!(table.undone(0, &now), None, "the opening stays");
        drop(now);
        let refused = table.play(0, "a2-a3/c3", 0, None);
        assert!(refused.is_err(), "it is not asked");
    }

    #[test]
    fn nobody_is_asked_twice_and_what_is_newer_has_a_higher_version() {
        let table = table(&[0]);
        let mut start = table.now().start.as_ref().unwrap().fork();
        let (voice, mut said) = mpsc::unbounded_channel();
        table.begin([(0, voice)].into(), start.fork());
        let version = |table: &Table| table.seen(0).unwrap()["version"].as_u64().unwrap();
        let legal = start.legal_of(0).unwrap();
        let begun = version(&table);
        table.now().asked.insert(0, (0, legal.clone()));
        assert!(
            table.play(0, &legal[0], 0, Some(1)).is_err(),
            "another match"
        );
        assert!(table.play(0, &legal[0], 1, Some(2)).is_err(), "another ply");
        let after = table.play(0, &legal[0], 0, Some(2)).unwrap();
        assert!(after > begun && version(&table) == after);
        assert_eq!(table.seen(0).unwrap()["legal"], json!([]));
        assert!(said.try_recv().is_ok());
        // The arbiter has not heard of it yet, and looks as if the seat were still to answer.
        assert_eq!(table.now().answered.get(&0), Some(&0));
        assert!(table.play(0, &legal[0], 0, Some(2)).is_err(), "twice");
        assert!(table.resign(0, None).is_err());
    }

    #[test]
    fn what_is_asked_of_a_match_that_is_gone_does_nothing_to_the_next_one() {
        let table = table(&[0]);
        let start = table.now().start.as_ref().unwrap().fork();
        let (voice, mut said) = mpsc::unbounded_channel();
        table.begin([(0, voice)].into(), start);
        let mut now = table.now();
        now.asked.insert(0, (0, vec!["a2-a3/c3".to_owned()]));
        now.moves = vec![(Some(0), "a2-a3/c3".to_owned())];
        drop(now);
        assert!(table.resign(0, Some(1)).is_err() && table.undo(0, Some(1)).is_err());
        assert!(said.try_recv().is_err(), "nobody has given up");
        // The next match after the first one has begun; the one after that has not.
        assert!(table.rematch(Some(1)).is_ok());
        assert!(table.rematch(Some(2)).is_err(), "the match goes on");
        assert!(table.resign(0, Some(2)).is_ok() && said.try_recv().is_ok());
    }

    #[test]
    fn two_people_who_want_another_match_at_once_get_one() {
        let rules = games::find("amazons").unwrap();
        let rules = rules.configure(&json!({"size": 5})).unwrap();
        let start = rules.start(0).unwrap();
        let names = ["human".to_owned(), "human 2".to_owned()].to_vec();
        let (table, mut commands) = Table::new(rules, names, &[0, 1]).unwrap();
        table.begin(BTreeMap::new(), start);
        table.now().is_over = true;
        assert!(table.rematch(Some(1)).is_ok() && table.rematch(Some(1)).is_ok());
        assert_eq!(commands.try_recv(), Ok(Command::Rematch));
        assert!(commands.try_recv().is_err());
    }
}
