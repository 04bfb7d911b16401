//! The table of connections: the state of each, and which one is closed when there are too many.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// Upper limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections in all, but for those by which a token was proven.
    pub(crate) all: usize,
    /// Connections of one address. Everybody behind a tunnel comes from a loopback address, so those
    /// have no limit of their own.
    pub(crate) per_address: usize,
    /// Connections by which a token was proven.
    pub trusted: usize,
    /// Until a request's head is complete, from its first byte on, or from the start of a connection.
    pub head: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// Until a request's body is complete.
    pub body: Duration,
    /// Without a byte that is taken of an answer.
    pub write: Duration,
}

impl Limits {
    /// Limits for people with browsers, and programs on any machine.
    pub const DEFAULT: Limits = Limits {
        all: 1024,
        per_address: 256,
        trusted: 64,
        head: Duration::from_secs(10),
        idle: Duration::from_secs(60),
        body: Duration::from_secs(20),
        write: Duration::from_secs(20),
    };

    /// The same, with no more connections than half of the files that this process may open.
    pub fn within(self, files: u64) -> Self {
        let half = usize::try_from(files / 2).unwrap_or(usize::MAX);
        Limits {
            all: self.all.min(half.max(16)),
            ..self
        }
    }
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// A request's head is expected, or a part of it was read.
    Head,
    /// The last request was answered.
    Idle,
    /// A request's body is read.
    Body,
    /// A request is answered.
    Answer,
    /// The answer is a stream of events.
    Stream,
}

impl Phase {
    fn limit(self, limits: &Limits) -> Option<Duration> {
        match self {
            Phase::Head => Some(limits.head),
            Phase::Idle => Some(limits.idle),
            Phase::Body => Some(limits.body),
            // Bounded by writes.
            Phase::Answer | Phase::Stream => None,
        }
    }

    /// The lowest goes first when there are too many connections.
    fn rank(self) -> u8 {
        match self {
            Phase::Head | Phase::Idle => 0,
            Phase::Body => 1,
            // Pages open a stream again by themselves.
            Phase::Stream => 2,
            Phase::Answer => 3,
        }
    }
}

/// All connections.
pub(super) struct ConnectionTable {
    limits: Limits,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    connections: BTreeMap<u64, Connected>,
}

struct Connected {
    from: IpAddr,
    phase: Phase,
    since: Instant,
    trusted: bool,
    ends: Arc<Notify>,
}

/// The place of a connection, which is free again when the last copy of this is gone.
#[derive(Clone)]
pub struct Place(Arc<Held>);

struct Held {
    number: u64,
    table: Arc<ConnectionTable>,
    ends: Arc<Notify>,
}

impl Open {
    fn end(&mut self, number: u64) {
        if let Some(connected) = self.connections.remove(&number) {
            connected.ends.notify_one();
        }
    }

    /// Ends the connection that can best be spared of those that are meant, if there are any.
    fn spare(&mut self, is_meant: impl Fn(&Connected) -> bool) {
        let meant = self.connections.iter().filter(|(_, it)| is_meant(it));
        let spared = meant.min_by_key(|(_, it)| (it.phase.rank(), it.since));
        let spared = spared.map(|(number, _)| *number);
        spared.into_iter().for_each(|number| self.end(number));
    }

    fn count(&self, is_meant: impl Fn(&Connected) -> bool) -> usize {
        self.connections.values().filter(|it| is_meant(it)).count()
    }
}

impl ConnectionTable {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(ConnectionTable {
            limits,
            open: Mutex::default(),
        })
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection. If there are too many, the one that has waited longest loses its
    /// place.
    pub(super) fn admit(self: &Arc<Self>, from: IpAddr, now: Instant) -> Place {
        let from = from.to_canonical();
        let mut open = self.open();
        let is_stranger = |it: &Connected| !it.trusted;
        let is_neighbour = |it: &Connected| !it.trusted && it.from == from;
        if !from.is_loopback() && open.count(is_neighbour) >= self.limits.per_address {
            open.spare(is_neighbour);
        }
        if open.count(is_stranger) >= self.limits.all {
            open.spare(is_stranger);
        }
        let number = open.next;
        open.next += 1;
        let ends = Arc::new(Notify::new());
        let connected = Connected {
            from,
            phase: Phase::Head,
            since: now,
            trusted: false,
            ends: ends.clone(),
        };
        open.connections.insert(number, connected);
        Place(Arc::new(Held {
            number,
            table: self.clone(),
            ends,
        }))
    }

    /// Ends the connection that can best be spared: the system has no more of something.
    pub(super) fn make_room(&self) {
        self.open().spare(|it| !it.trusted);
    }

    /// Ends all connections that have waited for too long.
    pub(super) fn patrol(&self, now: Instant) {
        let mut open = self.open();
        let late = open.connections.iter().filter(|(_, it)| {
            let limit = it.phase.limit(&self.limits);
            limit.is_some_and(|limit| now.saturating_duration_since(it.since) >= limit)
        });
        let late: Vec<u64> = late.map(|(number, _)| *number).collect();
        late.into_iter().for_each(|number| open.end(number));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open().connections.is_empty()
    }
}

impl Place {
    /// Notes what the connection does from now on.
    pub(super) fn enter(&self, phase: Phase) {
        self.change(|_| Some(phase));
    }

    /// The same, if it did something else until now.
    pub(super) fn leave(&self, before: Phase, phase: Phase) {
        self.change(|now| (now == before).then_some(phase));
    }

    fn change(&self, to: impl FnOnce(Phase) -> Option<Phase>) {
        let mut open = self.0.table.open();
        if let Some(connected) = open.connections.get_mut(&self.0.number)
            && let Some(phase) = to(connected.phase)
        {
            connected.phase = phase;
            connected.since = Instant::now();
        }
    }

    /// Notes that a token was proven: others cannot take the place of this connection any more.
    pub fn trust(&self) {
        let mut open = self.0.table.open();
        if open.count(|it| it.trusted) >= self.0.table.limits.trusted {
            open.spare(|it| it.trusted);
        }
        if let Some(connected) = open.connections.get_mut(&self.0.number) {
            connected.trusted = true;
        }
    }

    /// Waits until the connection has to end.
    pub(super) async fn ended(&self) {
        self.0.ends.notified().await;
    }

    pub(super) fn limits(&self) -> &Limits {
        self.0.table.limits()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.table.open().connections.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        all: 4,
        per_address: 2,
        trusted: 1,
        ..Limits::DEFAULT
    };

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    fn table() -> (Arc<ConnectionTable>, Instant) {
        (ConnectionTable::new(LIMITS), Instant::now())
    }

    fn is_open(place: &Place) -> bool {
        let open = place.0.table.open();
        open.connections.contains_key(&place.0.number)
    }

    fn second(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn a_new_connection_takes_the_place_of_the_one_that_waited_longest() {
        let (table, now) = table();
        let old = [1, 2, 3, 4].map(|last| table.admit(address(last), now + second(last.into())));
        old[0].enter(Phase::Answer);
        let new = table.admit(address(5), now + second(5));
        let are_open = old.iter().map(is_open).collect::<Vec<_>>();
        assert_eq!(are_open, [true, false, true, true]);
        assert!(is_open(&new));
        // What is answered goes last, streams before that.
        old[2].enter(Phase::Stream);
        old[3].enter(Phase::Answer);
        new.enter(Phase::Answer);
        let newer = table.admit(address(6), now + second(6));
        assert!(!is_open(&old[2]) && is_open(&old[0]) && is_open(&newer));
    }

    #[test]
    fn an_address_takes_places_from_itself_alone_unless_it_is_a_tunnel() {
        let (table, now) = table();
        let other = table.admit(address(1), now);
        let own = [2, 3, 4].map(|at| table.admit(address(9), now + second(at)));
        let are_open = own.iter().map(is_open).collect::<Vec<_>>();
        assert_eq!(are_open, [false, true, true]);
        assert!(is_open(&other));
        let here: IpAddr = [127, 0, 0, 1].into();
        let tunnel = [5, 6, 7, 8].map(|at| table.admit(here, now + second(at)));
        assert!(tunnel.iter().all(is_open), "all of them at most");
        // An IPv4 address in the form of IPv6 is the same one.
        let mapped = "::ffff:10.0.0.9".parse().unwrap();
        let (table, now) = self::table();
        let first = table.admit(address(9), now);
        let rest = [1, 2].map(|at| table.admit(mapped, now + second(at)));
        assert!(!is_open(&first) && rest.iter().all(is_open));
    }

    #[test]
    fn strangers_do_not_take_the_place_of_who_has_a_token() {
        let (table, now) = table();
        let person = table.admit(address(1), now);
        person.trust();
        let untrusted: Vec<Place> = (0..20)
            .map(|at| table.admit(address(2 + at), now + second(at.into())))
            .collect();
        assert!(is_open(&person));
        assert_eq!(
            untrusted.iter().filter(|it| is_open(it)).count(),
            LIMITS.all
        );
        // A token is worth this many places, and no more.
        let again = table.admit(address(1), now + second(30));
        again.trust();
        assert!(is_open(&again) && !is_open(&person));
    }

    #[test]
    fn a_connection_that_waits_for_too_long_is_ended() {
        let (table, now) = table();
        let silent = table.admit(address(1), now);
        let answered = table.admit(address(2), now);
        let stream = table.admit(address(3), now);
        answered.enter(Phase::Idle);
        stream.enter(Phase::Stream);
        table.patrol(now + LIMITS.head - second(1));
        assert!(is_open(&silent));
        table.patrol(now + LIMITS.head);
        assert!(!is_open(&silent) && is_open(&answered));
        table.patrol(Instant::now() + LIMITS.idle);
        assert!(!is_open(&answered) && is_open(&stream));
        table.patrol(now + second(1 << 30));
        assert!(is_open(&stream), "streams end by writes alone");
        drop(stream);
        assert!(table.is_empty());
    }

    #[test]
    fn there_are_no_more_places_than_files() {
        assert_eq!(Limits::DEFAULT.within(1 << 20).all, 1024);
        assert_eq!(Limits::DEFAULT.within(256).all, 128);
        assert_eq!(Limits::DEFAULT.within(0).all, 16);
    }
}
