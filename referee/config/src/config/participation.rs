//! The games of each bot.

use schedule::GameShape;
use supervisor::BotSpec;

use crate::Config;

impl Config {
    /// The ids of the games that a bot plays; `None` for all.
    pub fn games_of<'a>(&'a self, bot: &'a BotSpec) -> Option<&'a [String]> {
        let answered = || self.admission.answered.get(&bot.name);
        bot.games.as_ref().or_else(answered).map(Vec::as_slice)
    }

    /// True if this machine plays all of the schedule.
    pub fn plays_here_alone(&self) -> bool {
        self.schedule.shard.is_none() && !self.by_workers
    }

    /// The games for a schedule.
    pub(crate) fn game_shapes(&self) -> Vec<GameShape> {
        let games = self.games.iter();
        games
            .map(|game| game.shape(self.bots.iter().map(|bot| self.games_of(bot))))
            .collect()
    }

    /// Checks that the bots can meet in the games that they play.
    ///
    /// # Errors
    /// Why they cannot, as a sentence.
    pub fn check_participation(&self) -> Result<(), String> {
        if self.shape().count().most == 0 {
            return Err(format!(
                "no match can be played: {}",
                self.left_unplayed().join("; ")
            ));
        }
        Ok(())
    }

    /// Gaps of the schedule that come from bots' choice of games, as sentences.
    pub(crate) fn left_unplayed(&self) -> Vec<String> {
        let bots = self.abstentions().map(|(bot, games)| {
            let source = match bot.games {
                Some(_) => "",
                None => " by its `hello`",
            };
            let games = games.join(" or ");
            format!(
                "`{}` does not play {games}{source}, and has no matches there",
                bot.name
            )
        });
        let shapes = self.game_shapes();
        let games = self.games.iter().zip(&shapes).filter_map(|(game, shape)| {
            let players = self.bots.len() - shape.absent.len();
            (players < shape.seats).then(|| {
                let id = &game.rules.info().id;
                let bots = if players == 1 {
                    "bot plays"
                } else {
                    "bots play"
                };
                format!(
                    "`{id}` has {} seats, but {players} {bots} it: it is left out",
                    shape.seats
                )
            })
        });
        bots.chain(games).collect()
    }

    /// The bots that do not play all games, each with the ids of those that it leaves out.
    fn abstentions(&self) -> impl Iterator<Item = (&BotSpec, Vec<&str>)> {
        let bots = self.bots.iter().map(AsRef::as_ref);
        bots.filter_map(|bot| {
            let plays = self.games_of(bot)?;
            let ids = self.games.iter().map(|game| &game.rules.info().id);
            let mut others: Vec<&str> = ids
                .filter(|id| !plays.contains(id))
                .map(|id| &**id)
                .collect();
            others.dedup();
            (!others.is_empty()).then_some((bot, others))
        })
    }
}
