//! Screenshots of every page, light and dark, on a phone and on a large screen, for people to look
//! at.
//!
//! `PICTURES=folder cargo test -p tests --test browser pictures -- --ignored`, with `PICTURES_OF=live,play`
//! for some of them.

use std::path::PathBuf;

use tests::web::Server;

use crate::chromium::Browser;
use crate::served::{GAMES, Running, all_games, page, watch};
use serde_json::json;

/// A screenshot: name, address, and an element that is there once the page is.
struct Picture {
    name: String,
    url: String,
    ready: &'static str,
}

fn pictures(finished: &Server, running: &Server, play: &Server) -> Vec<Picture> {
    let picture = |name: &str, url: String, ready: &'static str| Picture {
        name: name.to_owned(),
        url,
        ready,
    };
    let mut pictures = vec![
        picture("overview", page(finished, "/"), ".cross a"),
        picture("running", page(running, "/"), ".live .board .piece"),
        picture("matches", page(finished, "/matches"), "tbody a"),
        picture("live", page(running, "/"), ".live .board .piece"),
        picture("play", play.links[0].clone(), ".spot.is-target"),
    ];
    for number in (1..=15).step_by(2) {
        let route = format!("/match/m-{number:06}/15");
        pictures.push(picture(
            &format!("match-{number}"),
            page(finished, &route),
            ".board .spot",
        ));
    }
    pictures
}

fn is_wanted(name: &str) -> bool {
    let wanted = std::env::var("PICTURES_OF");
    wanted.map_or(true, |wanted| wanted.split(',').any(|it| it == name))
}

#[test]
#[ignore = "makes pictures, which only people can judge"]
fn pictures_of_all_pages() {
    let folder = PathBuf::from(std::env::var("PICTURES").unwrap_or_else(|_| "pictures".into()));
    std::fs::create_dir_all(&folder).unwrap();
    let live = tempfile::tempdir().unwrap();
    let _running = Running::start(live.path(), GAMES, 8);
    let finished = watch(all_games());
    let running = watch(&live.path().join("out"));
    let play = Server::start(
        ["play", "siam", "--human", "0", "--bot", "random", "--web"],
        1,
    );
    for (width, height) in [(390, 844), (1280, 800), (1600, 1000)] {
        let Some(browser) = Browser::open(width, height) else {
            return;
        };
        for picture in pictures(&finished, &running, &play) {
            if !is_wanted(&picture.name) {
                continue;
            }
            for theme in ["light", "dark"] {
                let scheme =
                    json!({"features": [{"name": "prefers-color-scheme", "value": theme}]});
                browser.devtools("Emulation.setEmulatedMedia", &scheme);
                browser.go("about:blank");
                browser.go(&picture.url);
                browser.wait(&format!("document.querySelector('{}')", picture.ready));
                if picture.name == "live" {
                    browser.run("document.querySelector('.live a').click()");
                    browser.wait("document.querySelector('.board.large .piece')");
                    std::thread::sleep(std::time::Duration::from_secs(4));
                }
                // Boards of variations come a moment later.
                std::thread::sleep(std::time::Duration::from_millis(800));
                let file = format!("{}-{width}-{theme}.png", picture.name);
                std::fs::write(folder.join(file), browser.whole_picture()).unwrap();
            }
        }
    }
    println!("{}", folder.display());
}
