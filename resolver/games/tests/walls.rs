//! The walls of the house: who may depend on whom, compared with what the manifests of the workspace say.
#![allow(clippy::disallowed_methods, reason = "the test reads the manifests of the workspace")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// A crate of the workspace, and everything that it may depend on.
struct Room {
    name: &'static str,
    /// Crates of the workspace that its code uses.
    uses: &'static [&'static str],
    /// Crates of the workspace that only its tests use.
    tests_use: &'static [&'static str],
    /// Crates from elsewhere.
    outside: Outside,
}

/// Which crates from elsewhere a crate may depend on.
enum Outside {
    /// These and no others, so that whatever does IO, keeps time or runs tasks is noticed as soon as it is added.
    Exactly(&'static [&'static str]),
    /// All but these.
    AllBut(&'static [&'static str]),
}

/// The rooms from the bottom to the top of the house. The code of a room uses only rooms that stand before it.
///
/// The games know messages through `parley-proto`, whose generated clients bring tonic along; they do not name it.
const ROOMS: &[Room] = &[
    Room {
        name: "parley-proto",
        uses: &[],
        tests_use: &[],
        outside: Outside::Exactly(&["prost", "prost-types", "protox", "tonic", "tonic-prost", "tonic-prost-build"]),
    },
    Room {
        name: "parley-core",
        uses: &[],
        tests_use: &["parley-toy"],
        outside: Outside::Exactly(&["blake3", "rand_chacha", "rand_core", "smallvec"]),
    },
    Room {
        name: "parley-plunder",
        uses: &["parley-core"],
        tests_use: &[],
        outside: Outside::Exactly(&["arrayvec", "serde", "serde-saphyr", "serde_json", "smallvec"]),
    },
    Room {
        name: "parley-games",
        uses: &["parley-core", "parley-plunder", "parley-proto"],
        tests_use: &[],
        outside: Outside::Exactly(&[
            "blake3",
            "bytes",
            "ed25519-dalek",
            "prost",
            "prost-types",
            "serde",
            "serde_json",
            "thiserror",
            "uuid",
        ]),
    },
    // A game for tests. Nothing of the product uses it.
    Room {
        name: "parley-toy",
        uses: &["parley-core", "parley-games", "parley-proto"],
        tests_use: &[],
        outside: Outside::Exactly(&["bytes", "prost"]),
    },
    Room {
        name: "parley-bots",
        uses: &["parley-core", "parley-games", "parley-plunder", "parley-proto"],
        // Clients are tried against the real service.
        tests_use: &["parley-gateway"],
        outside: Outside::AllBut(&["async-nats", "axum", "fjall", "hyper", "metrics", "pasetors"]),
    },
    Room {
        name: "parley-gateway",
        uses: &["parley-bots", "parley-core", "parley-games", "parley-proto"],
        // A game that the service knows by the registry alone is played in its tests.
        tests_use: &["parley-bots", "parley-toy"],
        outside: Outside::AllBut(&["crossterm", "indicatif", "rand_chacha", "ratatui"]),
    },
];

/// The crates that a manifest names, by the purpose that they are for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Needs {
    /// Crates of the code and of build scripts.
    code: BTreeSet<String>,
    /// Crates of tests, examples and benchmarks.
    tests: BTreeSet<String>,
}

impl Needs {
    /// Reads a manifest, with the parts that hold on some targets only. `renamed` are the names that the workspace
    /// gives to crates which are called otherwise.
    fn read(manifest: &Table, renamed: &BTreeMap<String, String>) -> Self {
        let mut needs = Self::default();
        let targets = manifest.get("target").and_then(Value::as_table);
        let targets = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
        for part in std::iter::once(manifest).chain(targets) {
            needs.code.extend(crates(part, "dependencies", renamed));
            needs.code.extend(crates(part, "build-dependencies", renamed));
            needs.tests.extend(crates(part, "dev-dependencies", renamed));
        }
        needs
    }
}

/// The true names of the crates in one list of a manifest.
fn crates<'a>(
    part: &'a Table,
    list: &str,
    renamed: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = String> + use<'a> {
    let list = part.get(list).and_then(Value::as_table);
    list.into_iter().flatten().map(|(name, how)| {
        let own = how.get("package").and_then(Value::as_str).map(str::to_owned);
        own.or_else(|| renamed.get(name).cloned()).unwrap_or_else(|| name.clone())
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn manifest(folder: &Path) -> Table {
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    text.parse().expect("a manifest is TOML")
}

/// The names of all crates of the workspace, and what each needs.
fn house() -> BTreeMap<String, Needs> {
    let top = manifest(&root());
    let workspace = top["workspace"].as_table().expect("the workspace");
    let other_name = |(name, how): (&String, &Value)| {
        how.get("package").and_then(Value::as_str).map(|package| (name.clone(), package.to_owned()))
    };
    let shared = workspace["dependencies"].as_table().expect("shared dependencies");
    let renamed = shared.iter().filter_map(other_name).collect();
    let members = workspace["members"].as_array().expect("members").iter();
    let folders = members.map(|member| root().join(member.as_str().expect("a folder")));
    let room = |folder: PathBuf| {
        let manifest = manifest(&folder);
        let name = manifest["package"]["name"].as_str().expect("a name").to_owned();
        (name, Needs::read(&manifest, &renamed))
    };
    folders.map(room).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn every_crate_depends_on_what_its_room_allows() {
    let house = house();
    let names: BTreeSet<String> = house.keys().cloned().collect();
    assert_eq!(names, set(&ROOMS.iter().map(|room| room.name).collect::<Vec<_>>()), "every crate has its room");
    for room in ROOMS {
        let needs = &house[room.name];
        let inside = |needed: &BTreeSet<String>| needed & &names;
        assert_eq!(inside(&needs.code), set(room.uses), "{}: crates of the workspace", room.name);
        assert_eq!(inside(&needs.tests), set(room.tests_use), "{}: crates of the workspace for tests", room.name);
        let outside = &needs.code - &names;
        match room.outside {
            Outside::Exactly(allowed) => assert_eq!(outside, set(allowed), "{}: crates from elsewhere", room.name),
            Outside::AllBut(banned) => assert_eq!(&outside & &set(banned), set(&[]), "{}: banned crates", room.name),
        }
    }
}

#[test]
fn rooms_use_only_those_below_them() {
    let mut below = BTreeSet::new();
    for room in ROOMS {
        assert!(set(room.uses).is_subset(&below), "{} uses a room that stands above it", room.name);
        below.insert(room.name.to_owned());
    }
}

/// Tests speak of a game as clients do; the service, its house bots and its command line may not.
const SPEAKS_OF_GAMES: [&str; 1] = ["tests.rs"];

#[test]
fn a_game_for_tests_is_no_part_of_the_product() {
    let used = ROOMS.iter().filter(|room| room.uses.contains(&"parley-toy")).count();
    assert_eq!(used, 0, "only tests play the toy");
    let sources = sources(&root().join("resolver/games/src"));
    assert!(sources.len() > 20, "the games at their edge are in {} files", sources.len());
    let shared = sources.iter().filter(|file| !file.components().any(|part| part.as_os_str() == "plunder"));
    let registry = Path::new("hosted/registry.rs");
    for file in shared.filter(|file| !file.ends_with(registry)) {
        let text = std::fs::read_to_string(file).expect("a source");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        assert!(!code.contains("parley_plunder"), "{} names the crate of a game", file.display());
    }
}

/// Everything below a folder of sources, but for what may speak of a game.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if SPEAKS_OF_GAMES.iter().any(|name| entry.ends_with(name)) {
            continue;
        }
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
    found
}

#[test]
fn the_service_names_no_game() {
    let sources = sources(&root().join("gateway/src"));
    assert!(sources.len() > 100, "the service is in {} files", sources.len());
    for file in sources {
        let text = std::fs::read_to_string(&file).expect("a source");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        assert!(!code.to_lowercase().contains("plunder"), "{} names a game", file.display());
        // `parley_proto::opaque` has every message but those of games, so that nobody can read one of those. Commands that call
        // a service are its clients, and use the messages of clients.
        let is_command = file.components().any(|part| part.as_os_str() == "command");
        assert!(is_command || !code.contains("parley_proto::v1"), "{} can read messages of games", file.display());
    }
}

#[test]
fn manifests_are_read_whole() {
    let manifest: Table = r#"
        [dependencies]
        plain = "1"
        alias = { version = "1", package = "truly" }
        shared.workspace = true
        [build-dependencies]
        builder = "1"
        [dev-dependencies]
        tester = "1"
        [target.'cfg(unix)'.dependencies]
        only-there = "1"
        [target.'cfg(unix)'.dev-dependencies]
        only-there-for-tests = "1"
    "#
    .parse()
    .expect("TOML");
    let renamed = BTreeMap::from([("shared".to_owned(), "shared-by-its-name".to_owned())]);
    let code = set(&["builder", "only-there", "plain", "shared-by-its-name", "truly"]);
    let tests = set(&["only-there-for-tests", "tester"]);
    assert_eq!(Needs::read(&manifest, &renamed), Needs { code, tests });
}
