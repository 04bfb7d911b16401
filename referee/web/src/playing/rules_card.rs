//! The rules of a game in words, for its players: the guide of a built-in game, or other rules' own
//! description.

use games::Rules;

use crate::frame::escape;
use crate::words::guide;

pub(crate) fn card(rules: &dyn Rules) -> String {
    let info = rules.info();
    if rules.description().origin.is_none()
        && let Some(entry) = games::find(&info.id)
    {
        return guide(&entry.guide);
    }
    let mut html = format!("<h1>{}</h1>\n", escape(&info.title));
    if !info.summary.is_empty() {
        html += &format!("<p>{}</p>\n", escape(&info.summary));
    }
    let roles = rules.roles().iter().map(|role| escape(role));
    let roles: Vec<String> = roles.collect();
    html += &format!("<h2>Seats</h2>\n<p>{}</p>\n", roles.join(", "));
    if info.hidden {
        html += "<p>Not all seats know everything.</p>\n";
    }
    if !info.notation.is_empty() {
        html += "<h2>Moves</h2>\n<table>";
        for (example, meaning) in &info.notation {
            let (example, meaning) = (escape(example), escape(meaning));
            html += &format!("<tr><td><code>{example}</code></td><td>{meaning}</td></tr>");
        }
        html += "</table>\n";
    }
    let options = rules.options().to_json();
    if let Some(options) = options.as_object().filter(|options| !options.is_empty()) {
        html += "<h2>Options</h2>\n<table>";
        for (name, value) in options {
            let help = info.options.iter().find(|option| option.name == *name);
            let help = help.map_or("", |option| &option.help);
            html += &format!(
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
                escape(name),
                escape(&value.to_string()),
                escape(help)
            );
        }
        html += "</table>\n";
    }
    if let Some(plies) = info.limits.max_plies {
        html += &format!("<p>A match ends after {plies} plies at the latest.</p>\n");
    }
    if let Some(origin) = &rules.description().origin {
        let version = origin.version.as_deref().unwrap_or_default();
        let name = format!("{} {version}", origin.name);
        html += &format!(
            "<p>These are the rules of {}.</p>\n",
            escape(name.trim_end())
        );
    }
    html
}
