//! The pages of `referee report`: bots, statistics, the rules of games.

use crate::http::answer::Refusal;
use crate::pages::Page;
use crate::state::site::Site;

/// The page with this name: `statistics`, `about`, a bot's or a game's.
///
/// # Errors
/// If there is no such page.
pub(crate) fn page(site: &Site, kind: &str, name: &str) -> Result<Page, Refusal> {
    let [log] = &site.logs[..] else {
        return Err(Refusal::missing(
            "there are no such pages where several logs are shown as one",
        ));
    };
    if kind == "rules" {
        let page = games::find(name).map(crate::pages::rules_of);
        return page.ok_or_else(|| Refusal::missing(format!("no game `{name}` is built in")));
    }
    let matches = site.index().len();
    let played = site.reports.played(log, matches)?;
    let page = match kind {
        "bot" => crate::pages::bot(&played, name),
        "statistics" => Some(crate::pages::statistics(&played)),
        "about" => Some(crate::pages::about(&played)),
        _ => None,
    };
    page.ok_or_else(|| Refusal::missing(format!("there is no page about `{name}`")))
}
