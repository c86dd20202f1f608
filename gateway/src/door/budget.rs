//! How many bytes are in flight, counted per connection, per address and in all, each with a limit.
//!
//! Everything that a peer makes the server keep is reserved here before it is kept: a connection, an open call, the
//! bytes of a request, and each piece of an answer until the network has taken it. An account that is full refuses, and
//! only its owner notices. A connection takes room from its address, and an address from the whole, in pieces of
//! [`CHUNK`] bytes, so that a call touches nothing that connections share.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use dashmap::DashMap;
use tokio::time::Instant;

use super::CONNECTION_COST;
use crate::auth::bucket;

/// How many bytes an account takes from the one above it at once.
const CHUNK: usize = 64 * 1024;
/// How many stretches of time waiting bytes are sorted into.
const STRETCHES: usize = 8;
/// In how many stretches bytes have waited too long.
const PATIENCE_IN_STRETCHES: u64 = 6;
/// After how many calls the addresses that nobody uses are forgotten.
const TIDY_EVERY: u32 = 1024;

/// How many bytes may be in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetLimits {
    /// How many bytes all peers together may have in flight.
    pub total: usize,
    /// How many bytes all connections and calls of one address may have in flight.
    pub per_address: usize,
    /// How many bytes one connection may have in flight.
    pub per_connection: usize,
    /// How long bytes may wait for a peer that does not read.
    pub unread: Duration,
}

impl BudgetLimits {
    /// The most that a call can ever have on a connection where nothing else is, and the limit that says so.
    pub fn most(&self) -> (usize, Full) {
        let others = [(self.per_address, Full::Address), (self.per_connection, Full::Connection)];
        let least = |least: (usize, Full), other: (usize, Full)| if other.0 <= least.0 { other } else { least };
        let (most, full) = others.into_iter().fold((self.total, Full::Total), least);
        (most.saturating_sub(CONNECTION_COST), full)
    }
}

/// A limit of bytes in flight that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The limit of the whole server was reached.
    Total,
    /// The limit of one address was reached.
    Address,
    /// The limit of one connection was reached.
    Connection,
}

impl Full {
    /// The setting that the limit comes from.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Total => "max_bytes_in_flight",
            Self::Address => "max_bytes_in_flight_per_address",
            Self::Connection => "max_bytes_in_flight_per_connection",
        }
    }
}

/// All accounts of a server.
#[derive(Debug)]
pub struct Budget {
    limits: BudgetLimits,
    total: Arc<Account>,
    addresses: DashMap<IpAddr, Arc<Account>>,
    /// How often the account of an address was asked for.
    calls: AtomicU32,
    /// For all callers together whom proxies do not name.
    unnamed: Arc<Account>,
    began: Instant,
}

impl Budget {
    /// Accounts in which nothing is in flight.
    pub fn new(limits: BudgetLimits) -> Arc<Self> {
        let began = Instant::now();
        let total = Arc::new(Account::new(limits.total, Full::Total, None, began, limits.unread));
        let above = Some(Arc::clone(&total));
        let unnamed = Arc::new(Account::new(limits.per_address, Full::Address, above, began, limits.unread));
        Arc::new(Self { limits, total, addresses: DashMap::new(), calls: AtomicU32::new(0), unnamed, began })
    }

    /// The account of all callers whom a trusted proxy speaks for and does not name. They share what one address may
    /// have in flight, and take nothing from the account of the proxy's address, which its connections need.
    pub fn unnamed(&self) -> Arc<Account> {
        Arc::clone(&self.unnamed)
    }

    /// The account of an address: that of an IPv4 address, or of the /64 that one IPv6 customer has at least.
    pub fn address(&self, address: IpAddr) -> Arc<Account> {
        if self.calls.fetch_add(1, Ordering::Relaxed) % TIDY_EVERY == TIDY_EVERY - 1 {
            self.addresses.retain(|_, account| Arc::strong_count(account) > 1);
        }
        let new = || self.below(self.limits.per_address, Full::Address, &self.total);
        Arc::clone(&self.addresses.entry(bucket(Some(address))).or_insert_with(new))
    }

    /// The account of a new connection from an address.
    pub fn connection(&self, address: &Arc<Account>) -> Arc<Account> {
        self.below(self.limits.per_connection, Full::Connection, address)
    }

    /// Counts a connection from an address as open, unless as many are as there may be.
    pub fn connect(self: &Arc<Self>, from: IpAddr, cost: usize, most: Option<usize>) -> Option<Connected> {
        let address = self.address(from);
        let (counted, counted_in_all) = (address.open(), self.total.open());
        if most.is_some_and(|most| address.opened() > most) {
            return None;
        }
        let account = self.connection(&address);
        let room = account.reserve(cost).ok()?;
        Some(Connected { account, _room: room, _open: [counted, counted_in_all] })
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.total.opened()
    }

    /// How many bytes are in flight in all, rounded up to what connections have taken.
    pub fn in_flight(&self) -> usize {
        self.total.lock().held
    }

    fn below(&self, limit: usize, name: Full, parent: &Arc<Account>) -> Arc<Account> {
        Arc::new(Account::new(limit, name, Some(Arc::clone(parent)), self.began, self.limits.unread))
    }
}

/// A connection that is open as long as this lives.
#[derive(Debug)]
pub struct Connected {
    /// The account of what the connection has in flight.
    pub account: Arc<Account>,
    _room: Reservation,
    _open: [Open; 2],
}

/// How many bytes somebody has in flight, within a limit.
#[derive(Debug)]
pub struct Account {
    limit: usize,
    name: Full,
    parent: Option<Arc<Account>>,
    room: Mutex<Room>,
    /// How many pieces of answers wait, by the stretch of time in which they began to.
    waiting: [AtomicUsize; STRETCHES],
    /// How many are open: requests of a connection, connections of an address or of the whole.
    open: AtomicUsize,
    /// How many connections or calls have ever been open.
    ever_opened: AtomicUsize,
    began: Instant,
    stretch: Duration,
}

/// How much is held, and how much of the parent's room was taken for it.
#[derive(Debug, Default)]
struct Room {
    held: usize,
    granted: usize,
}

impl Account {
    fn new(limit: usize, name: Full, parent: Option<Arc<Self>>, began: Instant, unread: Duration) -> Self {
        let stretch = (unread / PATIENCE_IN_STRETCHES as u32).max(Duration::from_millis(1));
        Self {
            limit,
            name,
            parent,
            room: Mutex::default(),
            waiting: Default::default(),
            open: AtomicUsize::new(0),
            ever_opened: AtomicUsize::new(0),
            began,
            stretch,
        }
    }

    /// Reserves bytes, or says which limit is reached.
    pub fn reserve(self: &Arc<Self>, bytes: usize) -> Result<Reservation, Full> {
        self.take(bytes)?;
        Ok(Reservation { account: Arc::clone(self), bytes })
    }

    /// A reservation of nothing yet.
    pub fn reserve_nothing(self: &Arc<Self>) -> Reservation {
        Reservation { account: Arc::clone(self), bytes: 0 }
    }

    /// A piece of an answer, which counts until the network has taken it.
    pub fn hold(self: &Arc<Self>, bytes: Bytes, overhead: usize) -> Result<Bytes, Full> {
        let room = self.reserve(bytes.len() + overhead)?;
        let stretch = (self.stretches() % STRETCHES as u64) as usize;
        self.waiting[stretch].fetch_add(1, Ordering::Relaxed);
        Ok(Bytes::from_owner(Held { bytes, room, stretch }))
    }

    /// Whether something has waited too long for a peer that does not read.
    pub fn is_unread(&self) -> bool {
        let now = self.stretches();
        (PATIENCE_IN_STRETCHES..STRETCHES as u64)
            .filter_map(|ago| now.checked_sub(ago))
            .any(|old| self.waiting[(old % STRETCHES as u64) as usize].load(Ordering::Relaxed) > 0)
    }

    /// Counts something as open for as long as the guard lives.
    pub fn open(self: &Arc<Self>) -> Open {
        self.open.fetch_add(1, Ordering::Relaxed);
        self.ever_opened.fetch_add(1, Ordering::Relaxed);
        Open(Arc::clone(self))
    }

    /// How many requests of a connection, or connections of an address, are open.
    pub fn opened(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// How many of them have been opened.
    pub fn ever_opened(&self) -> usize {
        self.ever_opened.load(Ordering::Relaxed)
    }

    /// The number of the current stretch of time.
    fn stretches(&self) -> u64 {
        (self.began.elapsed().as_nanos() / self.stretch.as_nanos()) as u64
    }

    fn take(&self, bytes: usize) -> Result<(), Full> {
        let mut room = self.lock();
        let held = room.held.saturating_add(bytes);
        if held > self.limit {
            return Err(self.name);
        }
        if let Some(parent) = &self.parent
            && held > room.granted
        {
            let missing = held - room.granted;
            let chunk = missing.next_multiple_of(CHUNK);
            // The last bytes of a parent are taken one by one.
            let taken = parent.take(chunk).map(|()| chunk).or_else(|_| parent.take(missing).map(|()| missing))?;
            room.granted += taken;
        }
        room.held = held;
        Ok(())
    }

    fn give_back(&self, bytes: usize) {
        let mut room = self.lock();
        room.held = room.held.saturating_sub(bytes);
        let spare = room.granted.saturating_sub(room.held);
        // A piece is kept for what comes next, unless nothing may come any more.
        let kept = if room.held == 0 { 0 } else { CHUNK };
        if let Some(parent) = &self.parent
            && spare >= 2 * kept
        {
            let given = spare - kept;
            room.granted -= given;
            parent.give_back(given);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let granted = self.lock().granted;
        if let Some(parent) = &self.parent {
            parent.give_back(granted);
        }
    }
}

/// Bytes that are reserved as long as it lives.
#[derive(Debug)]
pub struct Reservation {
    account: Arc<Account>,
    bytes: usize,
}

impl Reservation {
    /// A reservation of nothing yet in the same account.
    pub fn another(&self) -> Self {
        self.account.reserve_nothing()
    }

    /// Reserves more bytes.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Full> {
        self.account.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Gives back what is more than `bytes`.
    pub fn shrink_to(&mut self, bytes: usize) {
        let spare = self.bytes.saturating_sub(bytes);
        self.bytes -= spare;
        self.account.give_back(spare);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.account.give_back(self.bytes);
    }
}

/// Counts something as open as long as it lives.
#[derive(Debug)]
pub struct Open(Arc<Account>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A piece of an answer on its way.
struct Held {
    bytes: Bytes,
    room: Reservation,
    stretch: usize,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.account.waiting[self.stretch].fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const KIB: usize = 1024;

    fn budget() -> Arc<Budget> {
        Budget::new(BudgetLimits {
            total: 1024 * KIB,
            per_address: 512 * KIB,
            per_connection: 256 * KIB,
            unread: Duration::from_secs(60),
        })
    }

    fn connection(budget: &Arc<Budget>, address: [u8; 4]) -> Arc<Account> {
        budget.connection(&budget.address(address.into()))
    }

    #[tokio::test]
    async fn each_limit_is_reached_by_its_own_and_named() {
        let budget = budget();
        let mut connections: Vec<_> = (0..2).map(|_| connection(&budget, [1, 1, 1, 1])).collect();
        let mut held: Vec<_> = connections.iter().map(|one| one.reserve(256 * KIB).expect("there is room")).collect();
        assert_eq!(connections[0].reserve(1).unwrap_err(), Full::Connection);
        connections.push(connection(&budget, [1, 1, 1, 1]));
        assert_eq!(connections[2].reserve(1).unwrap_err(), Full::Address);
        for address in [[2, 2, 2, 2], [2, 2, 2, 2]] {
            connections.push(connection(&budget, address));
            held.push(connections.last().expect("just pushed").reserve(256 * KIB).expect("there is room"));
        }
        assert_eq!(connection(&budget, [3, 3, 3, 3]).reserve(1).unwrap_err(), Full::Total);
        drop(held);
        drop(connections);
        assert_eq!(budget.in_flight(), 0);
        assert!(connection(&budget, [3, 3, 3, 3]).reserve(256 * KIB).is_ok());
    }

    #[tokio::test]
    async fn the_last_bytes_of_a_limit_can_be_used() {
        let budget = budget();
        let connection = connection(&budget, [1, 1, 1, 1]);
        let mut reserved = connection.reserve(200 * KIB).expect("there is room");
        reserved.grow(56 * KIB).expect("it fits exactly");
        assert_eq!(reserved.grow(1).unwrap_err(), Full::Connection);
        reserved.shrink_to(KIB);
        assert!(connection.reserve(255 * KIB).is_ok());
    }

    #[tokio::test]
    async fn one_customer_of_ipv6_is_one_address() {
        let budget = budget();
        let one = budget.address("2001:db8::1".parse().expect("an address"));
        let other = budget.address("2001:db8::ffff:2".parse().expect("an address"));
        assert!(Arc::ptr_eq(&one, &other));
        assert!(!Arc::ptr_eq(&one, &budget.address("2001:db8:0:1::1".parse().expect("an address"))));
    }

    #[tokio::test]
    async fn addresses_that_nobody_uses_are_forgotten() {
        let budget = budget();
        let used = budget.address([9, 9, 9, 9].into());
        (0..4 * TIDY_EVERY).for_each(|n| drop(budget.address(Ipv4Addr::from(n).into())));
        assert!(budget.addresses.len() <= TIDY_EVERY as usize + 1, "{}", budget.addresses.len());
        assert!(Arc::ptr_eq(&used, &budget.address([9, 9, 9, 9].into())));
    }

    #[tokio::test]
    async fn not_every_call_looks_for_addresses_that_nobody_uses() {
        let budget = budget();
        let used: Vec<_> = (0..2 * TIDY_EVERY).map(|n| budget.address(Ipv4Addr::from(n).into())).collect();
        drop(budget.address([9, 9, 9, 9].into()));
        drop(budget.address([0, 0, 0, 1].into()));
        assert_eq!(budget.addresses.len(), used.len() + 1);
        (0..TIDY_EVERY).for_each(|_| drop(budget.address([0, 0, 0, 1].into())));
        assert_eq!(budget.addresses.len(), used.len());
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_too_long_is_noticed_until_it_is_taken() {
        let budget = budget();
        let connection = connection(&budget, [1, 1, 1, 1]);
        let piece = connection.hold(Bytes::from_static(b"unread"), 0).expect("there is room");
        let part = piece.slice(3..);
        drop(piece);
        tokio::time::advance(Duration::from_secs(49)).await;
        assert!(!connection.is_unread());
        tokio::time::advance(Duration::from_secs(16)).await;
        assert!(connection.is_unread());
        drop(part);
        assert!(!connection.is_unread());
        assert_eq!(connection.lock().held, 0);
    }
}
