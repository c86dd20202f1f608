//! Which layer wins, what is refused, and what is printed.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use clap::{Args, Command, FromArgMatches};

use super::layers::load;
use super::settings::SETTINGS;
use super::value::Value;
use super::*;

/// What `flags`, these variables and a file with this text lead to.
fn loaded(flags: &[&str], variables: &[(&str, &str)], file: Option<&str>) -> Result<Loaded, Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder for the test");
    // A named file keeps the test away from a `parley.toml` in the working folder.
    let path = folder.path().join("parley.toml");
    fs::write(&path, file.unwrap_or_default()).expect("the folder is ours");
    let matches = ConfigArguments::augment_args(Command::new("parley"))
        .try_get_matches_from([&["parley"], flags].concat())
        .expect("the flags are known");
    let mut arguments = ConfigArguments::from_arg_matches(&matches).expect("the flags are read");
    arguments.file.get_or_insert(path);
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    load(&arguments, |name| variables.get(name).map(OsString::from)).map_err(|error| {
        let folder = format!("{}/", folder.path().display());
        error.faults.iter().map(|fault| fault.replace(&folder, "")).collect()
    })
}

fn fault(flags: &[&str], variables: &[(&str, &str)], file: Option<&str>) -> String {
    let faults = loaded(flags, variables, file).expect_err("something is wrong with it");
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.concat()
}

#[test]
fn every_default_is_within_its_own_range() {
    let defaults = Config::default();
    for setting in SETTINGS {
        let Some(value) = (setting.show)(&defaults) else { continue };
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut config = Config::default();
        assert_eq!((setting.set)(&mut config, &text), Ok(()), "{}", setting.name);
        assert_eq!(config, defaults, "{}", setting.name);
    }
    assert_eq!(loaded(&[], &[], None).map(|loaded| loaded.config), Ok(defaults));
}

#[test]
fn a_higher_layer_wins() {
    let file = Some("max_matches = 3\n\nlog_format = \"json\"\n");
    let variable = ("PARLEY_MAX_MATCHES", "4");
    let flags = ["--max-matches", "5"];
    let result = |flags: &[&str], variables: &[(&str, &str)], file| {
        let loaded = loaded(flags, variables, file).expect("it is all good");
        (loaded.config.max_matches, loaded.source("max_matches").cloned())
    };
    assert_eq!(result(&[], &[], None), (100_000, Some(Source::Default)));
    let (matches, source) = result(&[], &[], file);
    assert!(matches == 3 && matches!(source, Some(Source::File { line: 1, .. })));
    let named = Source::Environment("PARLEY_MAX_MATCHES".to_owned());
    assert_eq!(result(&[], &[variable], file), (4, Some(named)));
    let named = Source::Flag("max-matches".to_owned());
    assert_eq!(result(&flags, &[variable], file), (5, Some(named.clone())));
    assert_eq!(result(&flags, &[], None), (5, Some(named)));
    assert_eq!(result(&[], &[("PARLEY_MAX_MATCHES", "")], None).0, 100_000, "empty is not set");
    let all = loaded(&flags, &[variable], file).expect("it is all good");
    assert_eq!(all.config.log_format, LogFormat::Json, "other values of a lower layer stay");
}

#[test]
fn a_part_is_written_as_a_number() {
    let loaded = loaded(&[], &[], Some("trace_ratio = 0.01\n")).expect("a number");
    assert_eq!(loaded.config.trace_ratio, Some(Ratio(10_000)));
    assert!(super::tests::loaded(&["--trace-ratio", "1.5"], &[], None).is_err());
}

#[test]
fn a_size_is_written_with_or_without_a_unit() {
    for (text, bytes, printed) in [
        ("96M", 96 << 20, "96MiB"),
        ("2G", 2 << 30, "2GiB"),
        ("2048 m", 2 << 30, "2GiB"),
        ("512KiB", 512 << 10, "512KiB"),
        ("3T", 3 << 40, "3TiB"),
        ("1048577", 1_048_577, "1048577"),
        ("0", 0, "0"),
        ("0G", 0, "0"),
    ] {
        let size = ByteSize::parse(text).unwrap_or_else(|| panic!("{text:?} is a size"));
        assert_eq!((size.0, size.to_string().as_str()), (bytes, printed), "{text:?}");
        assert_eq!(ByteSize::parse(printed), Some(size), "{printed:?} is read back");
    }
    for wrong in ["", "M", "-1", "1.5G", "96MB", "96iB", "96X", "96MM", "9999999T", "99999999999999999999", "1 2"] {
        assert_eq!(ByteSize::parse(wrong), None, "{wrong:?}");
    }
}

#[test]
fn passwords_for_nats_are_not_shown() {
    let cluster = "nats://parley:secret@a:4222,tls://b";
    let loaded = loaded(&["--cluster", cluster], &[], None).expect("servers");
    let servers = loaded.config.cluster.expect("servers");
    assert_eq!(servers.addresses()[0].password(), Some("secret"));
    assert_eq!(servers.to_string(), "nats://a:4222,tls://b:4222");
    assert!(!format!("{servers:?}").contains("secret"));
    for wrong in ["http://a", "nats://a,,b", ""] {
        assert!(super::tests::loaded(&["--cluster", wrong], &[], None).is_err(), "{wrong:?}");
    }
}

#[test]
fn every_setting_can_be_set_in_every_layer() {
    for setting in SETTINGS {
        let other = match setting.name {
            "listen" | "metrics_listen" => "[::1]:1".to_owned(),
            "host_names" => "play.example,[2001:db8::1]".to_owned(),
            "store" => "memory".to_owned(),
            "web_origins" => "https://play.example,http://localhost:5173".to_owned(),
            "log_format" => "json".to_owned(),
            "otlp" | "jaeger_ui" => "http://127.0.0.1:4317".to_owned(),
            "trace_ratio" => "0.5".to_owned(),
            "cluster_advertise" => "10.0.0.7:7400".to_owned(),
            "admin_token" => "0123456789abcdef".to_owned(),
            "exempt_loopback" => "false".to_owned(),
            "max_map_tiles" => "65536".to_owned(),
            "trusted_proxies" => "10.0.0.0/8,2001:db8::1".to_owned(),
            _ if setting.switch => "true".to_owned(),
            _ if setting.shape == ByteSize::SHAPE => "200MiB".to_owned(),
            _ => setting.range.map_or("other".to_owned(), |(_, greatest)| greatest.to_string()),
        };
        let mut expected = Config::default();
        assert_eq!((setting.set)(&mut expected, &other), Ok(()), "{}", setting.name);
        assert_ne!(expected, Config::default(), "{}", setting.name);
        let tls = |name: &str| setting.name.starts_with("tls") && name != setting.name;
        let rest: Vec<(String, &str)> = ["tls_certificate", "tls_key"]
            .into_iter()
            .filter(|name| tls(name))
            .map(|name| (format!("PARLEY_{}", name.to_uppercase()), "pair"))
            .chain(
                [("PARLEY_MAX_DEADLINE_DAYS".to_owned(), "365")]
                    .into_iter()
                    .filter(|_| ["planning_seconds", "decision_seconds"].contains(&setting.name)),
            )
            .collect();
        let rest: Vec<(&str, &str)> = rest.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let flag = format!("--{}={other}", setting.flag());
        let variable = setting.variable();
        let line = format!("{} = {:?}", setting.name, other);
        for loaded in [
            loaded(&[&flag], &rest, None),
            loaded(&[], &[rest.as_slice(), &[(&variable, &other)]].concat(), None),
            loaded(&[], &rest, Some(&line)),
        ] {
            let loaded = loaded.unwrap_or_else(|faults| panic!("{}: {faults:?}", setting.name));
            assert_eq!((setting.show)(&loaded.config), (setting.show)(&expected), "{}", setting.name);
        }
    }
}

#[test]
fn the_help_of_the_flags_is_grouped_and_shows_defaults() {
    let mut command = ConfigArguments::augment_args(Command::new("parley"));
    let help = command.render_long_help().to_string();
    for words in ["Several servers:", "Limits:", "Time:", "[default: 127.0.0.1:7400] [env: PARLEY_LISTEN]"] {
        assert!(help.contains(words), "{words:?} is not in:\n{help}");
    }
    assert!(!help.contains("Settings:"), "every setting stands under a heading:\n{help}");
    for setting in SETTINGS {
        assert!(help.contains(&format!("--{}", setting.flag())), "{}", setting.name);
    }
}

#[test]
fn a_switch_needs_no_value() {
    assert!(loaded(&["--insecure"], &[], None).expect("it is good").config.insecure);
    let off = loaded(&["--insecure=false"], &[], Some("insecure = true")).expect("it is good");
    assert!(!off.config.insecure);
    assert_eq!(fault(&["--insecure=perhaps"], &[], None), "--insecure: insecure must be true or false");
}

#[test]
fn a_file_is_named_in_the_environment_too() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("other.toml");
    fs::write(&path, "drain_seconds = 7").expect("the folder is ours");
    let environment = |name: &str| (name == "PARLEY_CONFIG").then(|| path.clone().into_os_string());
    let found = load(&ConfigArguments::default(), environment).expect("it is good");
    assert_eq!(found.config.drain_seconds, 7);
    let missing = ConfigArguments { file: Some(PathBuf::from("missing.toml")), given: Vec::new() };
    let said = load(&missing, |_| None).expect_err("it is not there").to_string();
    assert!(said.starts_with("missing.toml: "), "{said}");
}

#[test]
fn faults_of_a_file_name_the_line() {
    let file = |text| fault(&[], &[], Some(text));
    assert_eq!(
        file("\nmax_matchs = 3"),
        "parley.toml, line 2: there is no setting \"max_matchs\"; did you mean max_matches?"
    );
    assert_eq!(file("[limits]\nmax_matches = 3"), "parley.toml, line 1: there is no setting \"limits\"");
    assert_eq!(
        file("insecure = true\nmax_matches = [3]"),
        "parley.toml, line 2: max_matches must be a whole number from 1 to 10000000"
    );
    assert!(file("insecure = true\nmax_matches = = 3").starts_with("parley.toml, line 2: "));
    assert!(file("insecure = true\ninsecure = true").starts_with("parley.toml, line 2: "));
}

#[test]
fn text_without_quotes_is_told_from_other_mistakes() {
    let file = |text: &str| fault(&[], &[], Some(text));
    for value in ["localhost:7501", "127.0.0.1:7400", "/var/lib/parley", "sesame sesame sesame", "memory # for now"] {
        for name in ["listen", "data", "admin_token", "store"] {
            let said = file(&format!("drain_seconds = 1\n{name} = {value}\nmax_matches = 3"));
            assert_eq!(said, format!("parley.toml, line 2: text wants quotes, as in {name} = \"…\""), "{value}");
        }
    }
    for text in ["data = \"open", "data = 'a' 'b'", "max_matches = [3", "unknown = word", "data =", "data"] {
        assert!(!file(text).contains("quotes, as in"), "{text}: {}", file(text));
    }
}

#[test]
fn variables_that_are_no_settings_are_named() {
    let environment = ["PARLEY_MAX_MATCHS", "PARLEY_WEATHER", "PARLEY_DATA", "PARLEY_CONFIG", "PARLEY_ADDR", "HOME"];
    let said = unknown_variables(environment.map(str::to_owned));
    assert_eq!(
        said,
        [
            "PARLEY_MAX_MATCHS is no setting and does nothing; did you mean PARLEY_MAX_MATCHES?",
            "PARLEY_WEATHER is no setting and does nothing; `parley config --table` lists all settings",
        ]
    );
    let all: Vec<String> = SETTINGS.iter().map(super::settings::Setting::variable).collect();
    assert_eq!(unknown_variables(all), [""; 0]);
}

#[test]
fn every_number_has_a_range_that_is_kept() {
    for setting in SETTINGS {
        let Some((least, greatest)) = setting.range else {
            let number = (setting.show)(&Config::default()).is_some_and(|value| value.is_integer());
            assert!(!number, "{} needs a range", setting.name);
            continue;
        };
        let said = format!("--{}: {} must be a whole number from {least} to {greatest}", setting.flag(), setting.name);
        let over = (greatest + 1).to_string();
        let under = least.checked_sub(1).map_or("-1".to_owned(), |number| number.to_string());
        for text in [over.as_str(), &under, "1.5", "many", "99999999999999999999999"] {
            assert_eq!(fault(&[&format!("--{}={text}", setting.flag())], &[], None), said, "{text}");
        }
    }
}

#[test]
fn words_that_are_none_of_the_choices_are_refused() {
    for (flag, said) in [
        (
            "--listen=localhost",
            "--listen: listen must be an address or a name with a port, such as 127.0.0.1:7400, localhost:7400 or [::1]:7400",
        ),
        (
            "--listen=no.such.name.invalid:1",
            "--listen: listen must be an address or a name with a port, such as 127.0.0.1:7400, localhost:7400 or [::1]:7400",
        ),
        ("--store=paper", "--store: store must be embedded or memory"),
        ("--log-format=xml", "--log-format: log_format must be human or json"),
        ("--data=", "--data: data must be a path"),
        (
            "--web-origins=https://play.example/lobby",
            "--web-origins: web_origins must be origins such as https://play.example, separated by commas",
        ),
    ] {
        assert_eq!(fault(&[flag], &[], None), said);
    }
    let said = fault(&["--log-filter=parley=loud"], &[], None);
    assert!(said.starts_with("log_filter \"parley=loud\" cannot be read: "), "{said}");
}

#[test]
fn all_faults_come_at_once() {
    let faults = loaded(&["--max-matches=0"], &[("PARLEY_STORE", "paper")], Some("nonsense = 1"));
    assert_eq!(faults.expect_err("three things are wrong").len(), 3);
}

#[test]
fn plain_text_is_for_the_own_machine_only() {
    for own in ["localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        assert!(loaded(&["--listen", own], &[], None).is_ok(), "{own}");
    }
    for reachable in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1"] {
        let said = fault(&["--listen", reachable], &[], None);
        assert!(said.starts_with(reachable), "{said}");
        assert!(["--tls-certificate", "--tls-key", "--insecure"].iter().all(|flag| said.contains(flag)), "{said}");
        assert!(loaded(&["--listen", reachable, "--insecure"], &[], None).is_ok());
        let tls = ["--listen", reachable, "--tls-certificate=c.pem", "--tls-key=k.pem"];
        assert!(loaded(&tls, &[], None).is_ok());
    }
}

#[test]
fn play_pauses_after_creation_does() {
    assert!(loaded(&["--disk-free-to-play=2G", "--disk-free-to-create=2G"], &[], None).is_ok());
    let said = fault(&["--disk-free-to-play=2G"], &[], None);
    assert!(said.starts_with("disk_free_to_play is 2GiB, which is more than disk_free_to_create, 512MiB"), "{said}");
    let said = fault(&["--listen=127.0.0.1:7400", "--metrics-listen=127.0.0.1:7400"], &[], None);
    assert!(said.starts_with("listen and metrics_listen are both 127.0.0.1:7400"), "{said}");
}

#[test]
fn tls_needs_both_files() {
    let said = fault(&["--tls-certificate=c.pem"], &[], None);
    assert_eq!(said, "tls_certificate is set but tls_key is not; TLS needs both");
    let said = fault(&["--tls-key=k.pem"], &[], None);
    assert_eq!(said, "tls_key is set but tls_certificate is not; TLS needs both");
}

#[test]
fn huge_maps_need_memory() {
    let flags = |budget| ["--max-map-tiles", "1048576", "--memory-budget", budget];
    let said = loaded(&flags("512M"), &[], None).expect_err("it is too little");
    assert_eq!(said, ["maps of 1048576 tiles (max_map_tiles) need a memory_budget of at least 1GiB, and it is 512MiB"]);
    assert!(loaded(&flags("1G"), &[], None).is_ok());
}

#[test]
fn default_deadlines_must_be_allowed() {
    let said = fault(&["--max-deadline-days=1", "--planning-seconds=86401"], &[], None);
    assert_eq!(said, "planning_seconds is 86401, which is later than max_deadline_days allows, 86400");
    let said = fault(&["--max-deadline-days=1", "--decision-seconds=86401"], &[], None);
    assert_eq!(said, "decision_seconds is 86401, which is later than max_deadline_days allows, 86400");
    assert!(loaded(&["--max-deadline-days=1", "--planning-seconds=86400"], &[], None).is_ok());
}

#[test]
fn a_secret_is_never_printed() {
    let secret = "sesame-sesame-sesame";
    let loaded = loaded(&[], &[("PARLEY_ADMIN_TOKEN", secret)], None).expect("it is long enough");
    assert_eq!(loaded.config.admin_token.as_ref().map(Secret::expose), Some(secret));
    let printed = format!("{} {loaded:?}", loaded.to_toml());
    assert!(!printed.contains("sesame"), "{printed}");
    assert!(printed.contains("admin_token = \"(hidden)\" # PARLEY_ADMIN_TOKEN"), "{printed}");
    for bad in ["sesame", "sesame sesame sesame"] {
        let said = fault(&[&format!("--admin-token={bad}")], &[], None);
        assert_eq!(said, "--admin-token: admin_token must be 16 to 512 printable characters without spaces");
    }
}

#[test]
fn what_is_printed_can_be_read_again() {
    let flags = ["--max-matches=7", "--data=a \"quoted\" folder", "--store=memory", "--insecure"];
    let first = loaded(&flags, &[], None).expect("it is all good");
    let text = first.to_toml();
    assert!(text.contains("max_matches = 7 # --max-matches\n"), "{text}");
    assert!(text.contains("drain_seconds = 20 # default\n"), "{text}");
    assert!(text.contains("# admin_token is not set\n"), "{text}");
    let second = loaded(&[], &[], Some(&text)).expect("it is all good");
    assert_eq!(second.config, first.config);
}

#[test]
fn the_table_has_a_row_for_every_setting() {
    let table = table_markdown();
    assert_eq!(table.lines().count(), SETTINGS.len() + 2);
    assert!(table.lines().all(|line| line.matches('|').count() == 7), "{table}");
    let row = "| `drain_seconds` | `--drain-seconds` | `PARLEY_DRAIN_SECONDS` | `20` | 0 to 3600 | How many seconds";
    assert!(table.contains(row), "{table}");
    let names: HashSet<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    assert_eq!(names.len(), SETTINGS.len());
}

#[test]
fn numbers_are_handed_on_as_what_they_mean() {
    let config = loaded(&["--planning-seconds=90", "--burst-per-token=9"], &[], None).expect("it is good").config;
    assert_eq!(config.planning(), Some(Duration::from_secs(90)));
    assert_eq!(Config::default().planning(), None);
    assert_eq!(config.max_deadline(), Duration::from_secs(2_592_000));
    assert_eq!(config.token_lifetime(), Duration::from_secs(2_592_000));
    let limits = config.gate_limits();
    assert_eq!((limits.per_token.per_second.get(), limits.per_token.burst.get()), (500, 9));
    assert_eq!((limits.per_address.per_second.get(), limits.per_address.burst.get()), (200, 2000));
}
