# Common tasks; `just` alone lists them.

_list:
    @just --list

# Play the quickstart tournament.
play:
    cargo run --release -- tournament tournaments/quickstart.toml

# Run all tests, as CI does; `just test --no-install` skips what needs missing programs.
test *ARGS:
    tests/run {{ARGS}}

# Run the tests whose names contain NAME, once everything is built.
only NAME:
    cargo build --workspace --all-targets --quiet
    PROGRAMS_ARE_BUILT=1 cargo nextest run --workspace {{NAME}}

# Format, lint and check the documentation.
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- --deny warnings
    RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --quiet

# Check licences, banned crates and sources; needs cargo-deny.
deny:
    cargo deny --offline check bans licenses sources

# Write what follows from types and keys: the schemas of the protocol and of configurations.
schemas:
    cargo run --quiet -p referee-protocol --example schemas
    cargo run --quiet -- config schema > tournaments/schema.json

# One benchmark: games, pipe, scale, model, rules, gdl, watch, nats or load; `all` compares with BENCHMARKS.md.
bench WHAT:
    cargo run --profile dist -p bench -- {{WHAT}}

# One campaign, as in tests/CAMPAIGNS.md: hostile, quick, redteam or redteam-duels.
campaign WHAT *ARGS:
    cargo run --profile campaign -p tests --bin campaign -- {{WHAT}} {{ARGS}}
