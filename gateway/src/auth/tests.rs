//! Tokens, keys in files, and limits by a clock that stands still.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ed25519_dalek::{Signature, VerifyingKey};
use governor::clock::FakeRelativeClock;
use http::HeaderMap;
use uuid::Uuid;

use super::*;
use crate::journal::MatchId;
use crate::refusal::Reason;

const NOW: u64 = 1_800_000_000;
const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const AWAY: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

fn keyring() -> Keyring {
    Keyring::ephemeral().expect("this machine gives random bytes")
}

fn seat(seat: u8) -> Claims {
    Claims { match_id: Some(MatchId(Uuid::from_u128(7))), role: Role::Seat(seat), expires_at: NOW + 60 }
}

#[test]
fn every_role_survives_the_way_through_a_token() {
    let keyring = keyring();
    let match_id = Some(MatchId(Uuid::from_u128(0x0190_aaaa_bbbb_7ccc_8ddd_eeee_ffff_0000)));
    for (match_id, role) in [
        (match_id, Role::Host),
        (match_id, Role::Seat(0)),
        (match_id, Role::Seat(255)),
        (match_id, Role::Invite),
        (None, Role::Admin),
    ] {
        let claims = Claims { match_id, role, expires_at: NOW + 1 };
        let token = keyring.mint(&claims);
        assert!(token.starts_with("v4.public."));
        assert!(token.len() < MAX_TOKEN_BYTES, "{} bytes", token.len());
        assert_eq!(keyring.verify(&token, NOW), Ok(claims));
    }
}

#[test]
fn the_same_claims_give_the_same_token_and_others_another() {
    let keyring = keyring();
    assert_eq!(keyring.mint(&seat(1)), keyring.mint(&seat(1)));
    let later = Claims { expires_at: NOW + 61, ..seat(1) };
    let elsewhere = Claims { match_id: Some(MatchId(Uuid::from_u128(8))), ..seat(1) };
    let host = Claims { role: Role::Host, ..seat(1) };
    let tokens: HashSet<String> = [seat(1), seat(2), later, elsewhere, host].iter().map(|c| keyring.mint(c)).collect();
    assert_eq!(tokens.len(), 5);
}

#[test]
fn a_token_of_another_service_is_forged() {
    assert_eq!(keyring().verify(&keyring().mint(&seat(1)), NOW), Err(TokenError::Forged));
}

#[test]
fn no_changed_letter_goes_unnoticed() {
    let keyring = keyring();
    let token = keyring.mint(&seat(1));
    for place in 0..token.len() {
        let mut letters = token.clone().into_bytes();
        letters[place] = if letters[place] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(letters).expect("letters were put in for letters");
        assert!(keyring.verify(&changed, NOW).is_err(), "letter {place}");
    }
}

#[test]
fn what_is_not_a_token_is_malformed() {
    let keyring = keyring();
    let token = keyring.mint(&seat(1));
    let footed = format!("{token}.Zm9v");
    for text in ["", "v4.public.", "v4.public.AAAA", "v2.public.AAAA", "v4.local.AAAA", &footed] {
        assert_eq!(keyring.verify(text, NOW), Err(TokenError::Malformed), "{text}");
    }
    assert_eq!(keyring.verify(&"a".repeat(MAX_TOKEN_BYTES + 1), NOW), Err(TokenError::TooLong));
}

#[test]
fn a_token_is_good_until_the_second_it_names() {
    let keyring = keyring();
    let token = keyring.mint(&seat(1));
    assert_eq!(keyring.verify(&token, NOW + 59), Ok(seat(1)));
    assert_eq!(keyring.verify(&token, NOW + 60), Err(TokenError::Expired));
    assert_eq!(keyring.verify(&keyring.admin_token(), u64::MAX - 1).map(|claims| claims.role), Ok(Role::Admin));
}

#[test]
fn the_cache_remembers_and_still_looks_at_the_time() {
    let cache = TokenCache::new(1024);
    let key = TokenKey::of("a token");
    assert_eq!(cache.get(&key, NOW), None);
    cache.insert(key, seat(1));
    cache.insert(key, seat(1));
    assert_eq!(cache.get(&key, NOW), Some(Ok(seat(1))));
    assert_eq!(cache.get(&key, NOW + 60), Some(Err(TokenError::Expired)));
    assert_eq!(cache.get(&TokenKey::of("another"), NOW), None);
}

#[test]
fn the_cache_forgets_when_it_is_full() {
    let cache = TokenCache::new(64);
    assert_eq!(cache.capacity(), 64);
    let keys: Vec<TokenKey> = (0..1000).map(|n| TokenKey::of(&n.to_string())).collect();
    for key in &keys {
        cache.insert(*key, seat(1));
        assert_eq!(cache.get(key, NOW), Some(Ok(seat(1))), "the newest is remembered");
    }
    let kept = keys.iter().filter(|key| cache.get(key, NOW).is_some()).count();
    assert!((32..=64).contains(&kept), "{kept}");
}

/// Whether a signature under a message was made with the secret half of a public key.
fn verify_receipt(public: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    VerifyingKey::from_bytes(public)
        .is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok())
}

#[test]
fn receipts_are_ordinary_ed25519_signatures() {
    let keyring = keyring();
    let public = keyring.receipt_public_key();
    let signature = keyring.sign_receipt(b"a receipt");
    assert_eq!(signature, keyring.sign_receipt(b"a receipt"));
    assert!(verify_receipt(&public, b"a receipt", &signature));
    assert!(!verify_receipt(&public, b"b receipt", &signature));
    assert!(!verify_receipt(&self::keyring().receipt_public_key(), b"a receipt", &signature));
    let mut changed = signature;
    changed[3] ^= 1;
    assert!(!verify_receipt(&public, b"a receipt", &changed));
    assert!(!verify_receipt(&[0xff; 32], b"a receipt", &signature));
}

#[test]
fn keys_outlive_the_process() {
    let data = tempfile::tempdir().expect("a folder for the test");
    let first = Keyring::load_or_create(data.path()).expect("keys are made");
    let second = Keyring::load_or_create(data.path()).expect("keys are read");
    assert_eq!(first.mint(&seat(3)), second.mint(&seat(3)));
    assert_eq!(first.receipt_public_key(), second.receipt_public_key());
    assert_eq!(first.admin_token(), second.admin_token());
    let path = second.write_admin_token(data.path()).expect("the token is written");
    assert_eq!(fs::read_to_string(&path).expect("it is there").trim_end(), first.admin_token());
    let names: HashSet<_> = fs::read_dir(data.path().join(KEYS_FOLDER))
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name())
        .collect();
    assert_eq!(names, HashSet::from(["tokens.key".into(), "receipts.key".into()]), "no unfinished file is left");
}

#[cfg(unix)]
#[test]
fn secrets_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let data = tempfile::tempdir().expect("a folder for the test");
    let keyring = Keyring::load_or_create(data.path()).expect("keys are made");
    let admin = keyring.write_admin_token(data.path()).expect("the token is written");
    let key = data.path().join("keys/tokens.key");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&admin), mode(&key), mode(&data.path().join("keys"))), (0o600, 0o600, 0o700));
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let said = Keyring::load_or_create(data.path()).expect_err("others may read it").to_string();
    assert!(said.contains("tokens.key") && said.contains("0640") && said.contains("chmod 600"), "{said}");
}

#[test]
fn a_damaged_key_is_refused_and_stays_as_it_is() {
    let data = tempfile::tempdir().expect("a folder for the test");
    Keyring::load_or_create(data.path()).expect("keys are made");
    let path = data.path().join("keys/receipts.key");
    let good = fs::read(&path).expect("it is there");
    for place in [0, 20, 60, 100, good.len() - 1] {
        let mut bad = good.clone();
        bad[place] = if bad[place] == b'0' { b'1' } else { b'0' };
        fs::write(&path, &bad).expect("it is ours");
        let error = Keyring::load_or_create(data.path()).expect_err("it is damaged");
        assert!(matches!(&error, KeyError::Damaged { path: named } if *named == path), "{error}");
        assert_eq!(fs::read(&path).expect("it is there"), bad);
    }
    fs::write(&path, &good[..40]).expect("it is ours");
    assert!(matches!(Keyring::load_or_create(data.path()), Err(KeyError::Damaged { .. })));
}

#[test]
fn nothing_secret_is_printed() {
    let keyring = Arc::new(keyring());
    let token = keyring.mint(&seat(1));
    let (gate, _) = gate(&keyring, Some("open sesame"));
    let caller = gate.admit(&bearer(&token), None, NOW).expect("the token is good");
    let printed = format!("{keyring:?} {gate:?} {caller:?} {:?}", TokenKey::of(&token));
    assert!(!printed.contains("sesame") && !printed.contains(&token));
    assert!(printed.contains("Keyring(secret)") && printed.contains("TokenKey(hidden)"));
}

fn rate(per_second: u32, burst: u32) -> Rate {
    let number = |n| NonZeroU32::new(n).expect("tests use rates above zero");
    Rate { per_second: number(per_second), burst: number(burst) }
}

/// A gate with ten calls a second and bursts of 3 per token, one call a second and bursts of 2 per address.
fn gate(keyring: &Arc<Keyring>, admin: Option<&str>) -> (Gate<FakeRelativeClock>, FakeRelativeClock) {
    let clock = FakeRelativeClock::default();
    let Rate { per_second: per_minute, burst } = rate(6, 2);
    let creations_per_address = RatePerMinute { per_minute, burst };
    let limits = GateLimits { per_token: rate(10, 3), per_address: rate(1, 2), creations_per_address };
    (Gate::with_clock(Arc::clone(keyring), admin, limits, clock.clone()), clock)
}

fn bearer(token: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("authorization", format!("Bearer {token}").parse().expect("tokens are ASCII"));
    headers
}

fn limited(limit: LimitName, milliseconds: u64) -> Refused {
    Refused::RateLimited { limit, retry_after: Duration::from_millis(milliseconds) }
}

#[test]
fn a_token_is_let_in_until_its_calls_are_used_up() {
    let keyring = Arc::new(keyring());
    let (gate, clock) = gate(&keyring, None);
    let token = bearer(&keyring.mint(&seat(1)));
    let caller = gate.admit(&token, Some(HOME), NOW).expect("the first call");
    assert_eq!(caller.claims, Some(seat(1)));
    gate.check_again(&caller).expect("the second");
    gate.admit(&token, Some(AWAY), NOW).expect("the third, from anywhere");
    let refused = gate.admit(&token, Some(HOME), NOW).expect_err("the fourth");
    assert_eq!(refused, limited(LimitName::CallsPerToken, 100));
    assert_eq!((refused.reason(), refused.retry_after()), (Reason::RateLimited, Some(Duration::from_millis(100))));
    assert_eq!(refused.to_string(), "too many calls; the limit is calls_per_second_per_token");
    assert_eq!(gate.check_again(&caller), Err(limited(LimitName::CallsPerToken, 100)));
    gate.admit(&bearer(&keyring.mint(&seat(2))), Some(HOME), NOW).expect("another token has its own calls");
    clock.advance(Duration::from_millis(60));
    assert_eq!(gate.check_again(&caller), Err(limited(LimitName::CallsPerToken, 40)));
    clock.advance(Duration::from_millis(40));
    assert_eq!(gate.check_again(&caller), Ok(()));
}

#[test]
fn calls_without_a_token_are_counted_by_address() {
    let (gate, clock) = gate(&Arc::new(keyring()), None);
    let none = HeaderMap::new();
    let caller = gate.admit(&none, Some(HOME), NOW).expect("the first call");
    assert_eq!(caller.claims, None);
    gate.check_again(&caller).expect("the second");
    assert_eq!(gate.admit(&none, Some(HOME), NOW).err(), Some(limited(LimitName::CallsPerAddress, 1000)));
    assert!(gate.admit(&none, Some(AWAY), NOW).is_ok());
    assert!(gate.admit(&none, None, NOW).is_ok());
    clock.advance(Duration::from_secs(1));
    assert!(gate.admit(&none, Some(HOME), NOW).is_ok());
}

#[test]
fn one_ipv6_network_shares_its_calls() {
    let (gate, _) = gate(&Arc::new(keyring()), None);
    let none = HeaderMap::new();
    let from = |text: &str| gate.admit(&none, Some(text.parse().expect("an address")), NOW).map(|_| ());
    assert_eq!((from("2001:db8::1"), from("2001:db8::2")), (Ok(()), Ok(())));
    assert_eq!(from("2001:db8::3"), Err(limited(LimitName::CallsPerAddress, 1000)));
    assert_eq!(from("2001:db8:0:1::1"), Ok(()));
    assert_eq!((from("192.0.2.9"), from("::ffff:192.0.2.9")), (Ok(()), Ok(())));
    assert_eq!(from("192.0.2.9"), Err(limited(LimitName::CallsPerAddress, 1000)));
}

#[test]
fn bad_tokens_use_up_the_calls_of_their_address() {
    let keyring = Arc::new(keyring());
    let (gate, clock) = gate(&keyring, None);
    let forged = bearer(&self::keyring().mint(&seat(1)));
    let known = bearer(&keyring.mint(&seat(1)));
    gate.admit(&known, Some(HOME), NOW).expect("it is good");
    for _ in 0..2 {
        assert_eq!(gate.admit(&forged, Some(HOME), NOW).err(), Some(Refused::Token(TokenError::Forged)));
    }
    assert_eq!(gate.admit(&forged, Some(HOME), NOW).err(), Some(limited(LimitName::CallsPerAddress, 1000)));
    gate.admit(&known, Some(HOME), NOW).expect("a known token does not suffer from its neighbours");
    let unknown = bearer(&keyring.mint(&seat(2)));
    let waiting = gate.admit(&unknown, Some(HOME), NOW).err();
    assert_eq!(waiting, Some(limited(LimitName::CallsPerAddress, 1000)), "no signature is checked meanwhile");
    gate.admit(&unknown, Some(AWAY), NOW).expect("it is good");
    clock.advance(Duration::from_secs(1));
    assert_eq!(gate.admit(&forged, Some(HOME), NOW).err(), Some(Refused::Token(TokenError::Forged)));
}

#[test]
fn a_token_from_the_gate_is_known_to_it() {
    let keyring = Arc::new(keyring());
    let (gate, _) = gate(&keyring, None);
    let token = gate.mint(&seat(1));
    assert_eq!(token, keyring.mint(&seat(1)));
    for _ in 0..3 {
        assert!(gate.admit(&bearer("forged"), Some(HOME), NOW).is_err());
    }
    let caller = gate.admit(&bearer(&token), Some(HOME), NOW).expect("its signature need not be checked");
    assert_eq!(caller.claims, Some(seat(1)));
}

#[test]
fn the_gate_says_what_is_wrong_with_a_token() {
    let keyring = Arc::new(keyring());
    let (gate, _) = gate(&keyring, None);
    let token = keyring.mint(&seat(1));
    gate.admit(&bearer(&token), None, NOW).expect("it is good and remembered now");
    let refused = gate.admit(&bearer(&token), None, NOW + 60).expect_err("it has expired");
    assert_eq!((refused.reason(), refused.retry_after()), (Reason::TokenExpired, None));
    let long = "a".repeat(MAX_TOKEN_BYTES + 1);
    for (header, error) in [
        ("Basic abc".to_owned(), TokenError::Malformed),
        ("Bearer".to_owned(), TokenError::Malformed),
        (format!("Bearer {long}"), TokenError::TooLong),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", header.parse().expect("it is ASCII"));
        let (gate, _) = self::gate(&keyring, None);
        let refused = gate.admit(&headers, None, NOW).expect_err("it is no token");
        assert_eq!((refused, refused.reason()), (Refused::Token(error), Reason::TokenInvalid), "{header}");
    }
}

#[test]
fn the_operator_may_choose_the_admin_token() {
    let keyring = Arc::new(keyring());
    let (with, _) = gate(&keyring, Some("open sesame"));
    let role = |gate: &Gate<FakeRelativeClock>, token: &str| {
        gate.admit(&bearer(token), None, NOW).map(|caller| caller.claims.map(|claims| claims.role))
    };
    assert_eq!(role(&with, "open sesame"), Ok(Some(Role::Admin)));
    assert_eq!(role(&with, &keyring.admin_token()), Ok(Some(Role::Admin)));
    assert_eq!(role(&with, "open sesamf"), Err(Refused::Token(TokenError::Malformed)));
    let (without, _) = gate(&keyring, None);
    assert_eq!(role(&without, "open sesame"), Err(Refused::Token(TokenError::Malformed)));
}

#[test]
fn callers_that_are_gone_are_forgotten() {
    let clock = FakeRelativeClock::default();
    let limit = super::limit::Limit::new(rate(1000, 1), clock.clone());
    for caller in 0..100_000_u32 {
        assert_eq!(limit.take(&caller), Ok(()));
        assert!(limit.take(&caller).is_err());
        clock.advance(Duration::from_millis(1));
    }
    assert!(limit.len() <= 8192, "{}", limit.len());
}

#[test]
fn creations_are_charged_to_the_address_and_come_back_by_the_minute() {
    let (gate, clock) = gate(&Arc::new(keyring()), None);
    let (here, there) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
    let charge = |address| gate.charge_creation(address);
    assert_eq!([charge(here), charge(here)], [Ok(()), Ok(())]);
    let refused = charge(here).expect_err("too many");
    assert_eq!((refused.reason(), refused.retry_after()), (Reason::RateLimited, Some(Duration::from_secs(10))));
    assert!(refused.to_string().contains("creations_per_minute_per_address"), "{refused}");
    assert_eq!(charge(there), Ok(()), "others do not notice");
    clock.advance(Duration::from_secs(10));
    assert_eq!(charge(here), Ok(()));
    let customer = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
    assert_eq!([charge(customer(1)), charge(customer(2))], [Ok(()), Ok(())]);
    assert!(charge(customer(3)).is_err(), "a /64 is one customer");
}

#[test]
fn a_large_allocation_of_ipv6_does_not_multiply_creations() {
    let (gate, _) = gate(&Arc::new(keyring()), None);
    // One /64 may create two matches at once, a /56 four times and a /48 sixteen times as many.
    let charged = |networks: &mut dyn Iterator<Item = u16>| {
        let address = |network| IpAddr::from([0x2001, 0xdb8, 7, network, 0, 0, 0, 1]);
        networks.filter(|network| gate.charge_creation(address(*network)).is_ok()).count()
    };
    assert_eq!(charged(&mut (0..256)), 8, "of 256 networks of one /56");
    assert_eq!(charged(&mut (256..=u16::MAX)), 24, "of all networks of one /48");
    let neighbour = IpAddr::from([0x2001, 0xdb8, 8, 0, 0, 0, 0, 1]);
    assert_eq!(gate.charge_creation(neighbour), Ok(()), "others do not notice");
}
