//! What a coordinator concludes from what the server counts: where the results are read on, and whether
//! the queue is stuck. Nothing is asked for here, so a simulation can use it as well.

/// Where the stream of results is read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultCursor {
    next: u64,
}

impl Default for ResultCursor {
    fn default() -> Self {
        ResultCursor { next: 1 }
    }
}

impl ResultCursor {
    /// The first sequence that was not read.
    pub fn next(self) -> u64 {
        self.next
    }

    /// A result with this sequence was read.
    pub fn read(&mut self, sequence: u64) {
        self.next = sequence + 1;
    }

    /// The last sequence of the stream is this one. If more was read than that, the server has lost results,
    /// and gives their places to other ones: those that are there are read once more.
    pub fn check(&mut self, last: u64) {
        if last + 1 < self.next {
            self.next = 1;
        }
    }
}

/// Whether the queue holds jobs that it gives to nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueWatch {
    /// Whether it seemed so when it was last looked at.
    was_stuck: bool,
}

impl QueueWatch {
    /// Whether the queue has to begin anew. `owed` jobs wait or are in the hands of workers by the count of
    /// the consumer, and `there` are in the stream, counted afterwards: until then they can only have become
    /// fewer, because nobody else publishes any. `all_idle` says that there are workers, and that none of
    /// them has a job: if that lasts while there are jobs, the queue is stuck whatever the server counts.
    pub fn is_stuck(&mut self, owed: u64, there: u64, all_idle: bool) -> bool {
        let seems_stuck = there > owed || (there > 0 && all_idle);
        // A job may be in the midst of being removed, so once is not enough.
        let is_stuck = std::mem::replace(&mut self.was_stuck, seems_stuck) && seems_stuck;
        if is_stuck {
            self.was_stuck = false;
        }
        is_stuck
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_became_shorter_is_read_once_more() {
        let mut cursor = ResultCursor::default();
        cursor.read(7);
        cursor.check(7);
        assert_eq!(cursor.next(), 8);
        cursor.check(6);
        assert_eq!(cursor.next(), 1);
        cursor.check(0);
        assert_eq!(cursor.next(), 1);
    }

    #[test]
    fn a_queue_is_stuck_only_if_it_is_so_twice_in_a_row() {
        let mut watch = QueueWatch::default();
        let looks = [
            (5, 6, false),
            (5, 5, false),
            (0, 0, true),
            (5, 6, false),
            (4, 4, true),
            (5, 6, false),
        ];
        let stuck = looks.map(|(owed, there, idle)| watch.is_stuck(owed, there, idle));
        assert_eq!(stuck, [false, false, false, false, true, false]);
    }
}
