//! How many bytes are in flight, counted per connection, per address, per larger network of IPv6 and in all, each with a
//! limit.
//!
//! Everything that a peer makes the server keep is reserved here before it is kept: a connection, an open call, the
//! bytes of a request, and each piece of an answer until the network has taken it. An account that is full refuses, and
//! only its owner notices. A connection takes room from its address, and so on up to the whole, in pieces of
//! [`CHUNK`] bytes, so that a call touches nothing that connections share.

use std::iter::successors;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use dashmap::DashMap;
use tokio::time::Instant;

use super::{CONNECTION_COST, CONNECTION_WINDOW, STREAM_WINDOW};
use crate::auth::{WIDER_NETWORKS, bucket, wider_networks};

/// How many bytes an account takes from the one above it at once.
const CHUNK: usize = 64 * 1024;
/// How many stretches of time waiting bytes are sorted into.
const STRETCHES: usize = 8;
/// In how many stretches bytes have waited too long.
const PATIENCE_IN_STRETCHES: u64 = 6;
/// Up to how many bytes an address may use the last part of the whole.
const MODEST: usize = 1 << 20;
/// How large that part is.
const MODEST_PART: usize = 8;
/// How large a part of the whole there is beside it for connections from this machine alone.
const RESERVED_PART: usize = 16;
/// How many bytes that part has at most.
const MOST_RESERVED: usize = 8 << 20;
/// How large a part of the whole a network of IPv6 may have, however many addresses it stands for.
const NETWORK_PART: usize = 2;
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
    total: Arc<BudgetAccount>,
    addresses: DashMap<IpAddr, Arc<BudgetAccount>>,
    /// The accounts of the larger networks that addresses of IPv6 are in, by their first address and their bits.
    networks: DashMap<(IpAddr, u32), Arc<BudgetAccount>>,
    /// How often the account of an address was asked for.
    calls: AtomicU32,
    /// For all callers together whom proxies do not name.
    unnamed: Arc<BudgetAccount>,
    /// For connections from this machine that find no room elsewhere.
    reserved: Arc<BudgetAccount>,
    began: Instant,
}

impl Budget {
    /// Accounts in which nothing is in flight.
    pub fn new(limits: BudgetLimits) -> Arc<Self> {
        let began = Instant::now();
        let total = Arc::new(BudgetAccount::new(limits.total, Full::Total, 1, None, began, limits.unread));
        let above = Some(Arc::clone(&total));
        let unnamed = Arc::new(BudgetAccount::new(limits.per_address, Full::Address, 1, above, began, limits.unread));
        let spare = (limits.total / RESERVED_PART).min(MOST_RESERVED);
        let reserved = Arc::new(BudgetAccount::new(spare, Full::Total, 1, None, began, limits.unread));
        let (addresses, networks, calls) = Default::default();
        Arc::new(Self { limits, total, addresses, networks, calls, unnamed, reserved, began })
    }

    /// The account of all callers whom a trusted proxy speaks for and does not name. They share what one address may
    /// have in flight, and take nothing from the account of the proxy's address, which its connections need.
    pub fn unnamed(&self) -> Arc<BudgetAccount> {
        Arc::clone(&self.unnamed)
    }

    /// The account of an address: that of an IPv4 address, or of the /64 that one IPv6 customer has at least. That takes
    /// its room from the larger networks that the customer may have instead.
    pub fn address(&self, address: IpAddr) -> Arc<BudgetAccount> {
        if self.calls.fetch_add(1, Ordering::Relaxed) % TIDY_EVERY == TIDY_EVERY - 1 {
            self.addresses.retain(|_, account| Arc::strong_count(account) > 1);
            self.networks.retain(|_, account| Arc::strong_count(account) > 1);
        }
        let key = bucket(Some(address));
        if let Some(account) = self.addresses.get(&key) {
            return Arc::clone(&account);
        }
        let above = self.above_address(address);
        let new = || self.below(self.limits.per_address, Full::Address, &above);
        Arc::clone(&self.addresses.entry(key).or_insert_with(new))
    }

    /// The account that an address takes its room from: that of the smallest of its larger networks, each of which takes
    /// its own from the next one; or the whole, for IPv4.
    fn above_address(&self, address: IpAddr) -> Arc<BudgetAccount> {
        let mut above = Arc::clone(&self.total);
        let Some(networks) = wider_networks(address) else { return above };
        for (network, wider) in networks.into_iter().zip(WIDER_NETWORKS).rev() {
            let times = wider.times.get() as usize;
            let most = self.limits.per_address.max(self.limits.total / NETWORK_PART);
            let limit = self.limits.per_address.saturating_mul(times).min(most);
            let new = || {
                let parent = Some(Arc::clone(&above));
                let account = BudgetAccount::new(limit, Full::Address, times, parent, self.began, self.limits.unread);
                Arc::new(account)
            };
            let account = Arc::clone(&self.networks.entry((network, wider.bits)).or_insert_with(new));
            above = account;
        }
        above
    }

    /// The account of a new connection from an address.
    pub fn connection(&self, address: &Arc<BudgetAccount>) -> Arc<BudgetAccount> {
        self.below(self.limits.per_connection, Full::Connection, address)
    }

    /// Counts a connection from this machine as open. Where others have taken all room there still is some for it, so that
    /// operators and probes are never shut out.
    pub fn connect_from_here(&self, from: IpAddr, cost: usize) -> Option<Connected> {
        self.connect(from, cost, None).or_else(|| {
            let account = self.connection(&self.reserved);
            let room = account.reserve(cost).ok()?;
            Some(Connected { account, _room: room, _open: self.address(from).open_up_to_total() })
        })
    }

    /// Counts a connection from an address as open, unless as many are as there may be: `most` of an address, and as many
    /// times that of a larger network as it stands for.
    pub fn connect(&self, from: IpAddr, cost: usize, most: Option<usize>) -> Option<Connected> {
        let address = self.address(from);
        let open = address.open_up_to_total();
        let is_over = |most: usize| {
            let mut limited = address.up_to_total().filter(|account| account.parent.is_some());
            limited.any(|account| account.opened() > most.saturating_mul(account.times))
        };
        if most.is_some_and(is_over) {
            return None;
        }
        let account = self.connection(&address);
        let room = account.reserve(cost).ok()?;
        Some(Connected { account, _room: room, _open: open })
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.total.opened()
    }

    /// How many bytes are in flight in all, rounded up to what connections have taken.
    pub fn in_flight(&self) -> usize {
        self.total.lock().held
    }

    fn below(&self, limit: usize, name: Full, parent: &Arc<BudgetAccount>) -> Arc<BudgetAccount> {
        Arc::new(BudgetAccount::new(limit, name, 1, Some(Arc::clone(parent)), self.began, self.limits.unread))
    }
}

/// A connection that is open as long as this lives.
#[derive(Debug)]
pub struct Connected {
    /// The account of what the connection has in flight.
    pub account: Arc<BudgetAccount>,
    _room: Reservation,
    _open: Vec<Open>,
}

/// How many bytes somebody has in flight, within a limit.
#[derive(Debug)]
pub struct BudgetAccount {
    limit: usize,
    name: Full,
    parent: Option<Arc<BudgetAccount>>,
    /// How many addresses it may have as much as.
    times: usize,
    room: Mutex<AccountRoom>,
    /// How many pieces of answers wait, by the stretch of time in which they began to.
    waiting: [AtomicUsize; STRETCHES],
    /// How many are open: requests of a connection, connections of an address or of the whole.
    open: AtomicUsize,
    /// How many connections or calls have ever been open.
    ever_opened: AtomicUsize,
    /// How many streams of messages are open.
    streams: AtomicUsize,
    began: Instant,
    /// How long a stretch of time is, in microseconds.
    stretch_micros: u64,
}

/// How much is held, and how much of the parent's room was taken for it.
#[derive(Debug, Default)]
struct AccountRoom {
    held: usize,
    granted: usize,
}

impl BudgetAccount {
    fn new(
        limit: usize,
        name: Full,
        times: usize,
        parent: Option<Arc<Self>>,
        began: Instant,
        unread: Duration,
    ) -> Self {
        let stretch = (unread / PATIENCE_IN_STRETCHES as u32).max(Duration::from_millis(1));
        Self {
            limit,
            name,
            parent,
            times,
            room: Mutex::default(),
            waiting: Default::default(),
            open: AtomicUsize::new(0),
            ever_opened: AtomicUsize::new(0),
            streams: AtomicUsize::new(0),
            began,
            stretch_micros: stretch.as_micros() as u64,
        }
    }

    /// This account, and those that it takes its room from, up to the whole.
    fn up_to_total(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Self>> {
        successors(Some(self), |account| account.parent.as_ref())
    }

    /// Counts something as open in this account, and in those that it takes its room from.
    fn open_up_to_total(self: &Arc<Self>) -> Vec<Open> {
        self.up_to_total().map(Self::open).collect()
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

    /// Counts a stream of messages as open for as long as the guard lives, and reserves what a peer may send on it before
    /// it is read. All streams of a connection together may be sent no more than [`CONNECTION_WINDOW`].
    pub fn open_stream(self: &Arc<Self>) -> Result<OpenStream, Full> {
        let others = self.streams.fetch_add(1, Ordering::Relaxed);
        let mut stream = OpenStream(self.reserve_nothing());
        if others < (CONNECTION_WINDOW / STREAM_WINDOW) as usize {
            stream.0.grow(STREAM_WINDOW as usize)?;
        }
        Ok(stream)
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
        self.began.elapsed().as_micros() as u64 / self.stretch_micros
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
            // The last part of the whole is for addresses that want little, and for networks all of whose addresses together
            // do, so that a few that take what they can get leave room for everybody else.
            let is_last_part = || parent.name == Full::Total && parent.free() < parent.limit / MODEST_PART + missing;
            if self.name == Full::Address && held > MODEST && is_last_part() {
                return Err(Full::Total);
            }
            let chunk = missing.next_multiple_of(CHUNK);
            // The last bytes of a parent are taken one by one.
            let taken = parent.take(chunk).map(|()| chunk).or_else(|_| parent.take(missing).map(|()| missing))?;
            room.granted += taken;
        }
        room.held = held;
        Ok(())
    }

    /// How many bytes nobody has taken.
    fn free(&self) -> usize {
        self.limit.saturating_sub(self.lock().held)
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

    fn lock(&self) -> MutexGuard<'_, AccountRoom> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BudgetAccount {
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
    account: Arc<BudgetAccount>,
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

    /// A whole message of an answer, which takes this room until the network has taken it.
    pub fn hold(self, message: Bytes) -> Bytes {
        Held::bytes(message, HeldRoom::Whole(self))
    }

    /// A piece of a message. All pieces are parts of the same memory, so that the room of the message is taken until the
    /// network has the last of them.
    pub fn hold_piece(self: &Arc<Self>, piece: Bytes) -> Bytes {
        Held::bytes(piece, HeldRoom::Shared(Arc::clone(self)))
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
pub struct Open(Arc<BudgetAccount>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A stream of messages that is open as long as this lives.
#[derive(Debug)]
pub struct OpenStream(Reservation);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.account.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A piece of an answer on its way.
struct Held {
    bytes: Bytes,
    room: HeldRoom,
    stretch: usize,
}

/// The room that a piece of an answer takes.
enum HeldRoom {
    /// It is the only piece of its message.
    Whole(Reservation),
    /// There are more pieces of its message.
    Shared(Arc<Reservation>),
}

impl HeldRoom {
    fn account(&self) -> &BudgetAccount {
        match self {
            Self::Whole(room) => &room.account,
            Self::Shared(room) => &room.account,
        }
    }
}

impl Held {
    fn bytes(bytes: Bytes, room: HeldRoom) -> Bytes {
        let account = room.account();
        let stretch = (account.stretches() % STRETCHES as u64) as usize;
        account.waiting[stretch].fetch_add(1, Ordering::Relaxed);
        Bytes::from_owner(Self { bytes, room, stretch })
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.account().waiting[self.stretch].fetch_sub(1, Ordering::Relaxed);
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

    fn connection(budget: &Arc<Budget>, address: [u8; 4]) -> Arc<BudgetAccount> {
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
    async fn addresses_that_take_what_they_can_get_leave_room_for_others() {
        const ADDRESSES: usize = 30;
        let total = 512 * 1024 * KIB;
        let limits =
            BudgetLimits { total, per_address: total / 4, per_connection: total / 16, unread: Duration::from_secs(60) };
        let budget = Budget::new(limits);
        let mut held = Vec::new();
        for number in 0..ADDRESSES {
            let greedy: Vec<_> = (0..4).map(|_| connection(&budget, [number as u8, 1, 1, 1])).collect();
            while let Some(more) = greedy.iter().find_map(|one| one.reserve(64 * KIB).ok()) {
                held.push(more);
            }
        }
        let newcomer = connection(&budget, [9, 9, 9, 9]);
        assert!(newcomer.reserve(CONNECTION_COST + 64 * KIB).is_ok(), "{} of {total} are taken", budget.in_flight());
    }

    #[tokio::test]
    async fn whoever_is_on_this_machine_comes_in_when_others_have_taken_all_room() {
        let budget = budget();
        let others: Vec<_> = (0..4).map(|number| connection(&budget, [number, 1, 1, 1])).collect();
        let _held: Vec<_> = others.iter().map(|one| one.reserve(256 * KIB).expect("there is room")).collect();
        assert!(budget.connect([9, 9, 9, 9].into(), KIB, None).is_none());
        let here = budget.connect_from_here([127, 0, 0, 1].into(), KIB).expect("there is room for operators");
        assert!(here.account.reserve(32 * KIB).is_ok());
        assert_eq!(here.account.reserve(64 * KIB).unwrap_err(), Full::Total);
        assert_eq!(budget.connections(), 1);
    }

    #[tokio::test]
    async fn a_message_takes_its_room_until_its_last_piece_is_gone() {
        let budget = budget();
        let connection = connection(&budget, [1, 1, 1, 1]);
        let message = Arc::new(connection.reserve(200 * KIB).expect("there is room"));
        let (first, last) =
            (message.hold_piece(Bytes::from_static(b"first")), message.hold_piece(Bytes::from_static(b"last")));
        drop((message, first));
        assert_eq!(connection.reserve(57 * KIB).unwrap_err(), Full::Connection);
        drop(last);
        assert!(connection.reserve(256 * KIB).is_ok());
    }

    #[tokio::test]
    async fn streams_of_a_connection_take_what_a_peer_may_send_on_them_together() {
        let window = CONNECTION_WINDOW as usize;
        let limits = BudgetLimits {
            total: 2 * window,
            per_address: 2 * window,
            per_connection: 2 * window,
            unread: Duration::from_secs(60),
        };
        let connection = connection(&Budget::new(limits), [1, 1, 1, 1]);
        let streams: Vec<_> = (0..20).map(|_| connection.open_stream().expect("there is room")).collect();
        assert!(connection.reserve(window).is_ok());
        assert_eq!(connection.reserve(window + 1).unwrap_err(), Full::Connection);
        drop(streams);
        assert!(connection.reserve(2 * window).is_ok());
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

    /// The address of one of the /64 of a /48.
    fn customer(number: u16) -> IpAddr {
        std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, number, 0, 0, 0, 1).into()
    }

    #[tokio::test]
    async fn a_larger_network_of_ipv6_has_a_few_times_as_many_connections() {
        const MOST: usize = 2;
        let budget = Budget::new(BudgetLimits { total: 1 << 30, per_address: 1 << 28, ..budget().limits });
        let connect = |number| budget.connect(customer(number), KIB, Some(MOST));
        let of_56: Vec<_> = (0..256).filter_map(connect).collect();
        assert_eq!(of_56.len(), 4 * MOST, "the /56 is full, though no address is");
        assert!(connect(0).is_none() && connect(255).is_none());
        let of_48: Vec<_> = (256..4096).filter_map(connect).collect();
        assert_eq!(of_56.len() + of_48.len(), 16 * MOST);
        let other = "2001:db8:1::1".parse().expect("an address");
        assert!(budget.connect(other, KIB, Some(MOST)).is_some(), "another customer");
        assert!(budget.connect([1, 1, 1, 1].into(), KIB, Some(MOST)).is_some());
        assert_eq!(budget.connections(), 16 * MOST);
        drop((of_56, of_48));
        assert_eq!((budget.connections(), budget.in_flight()), (0, 0));
        assert!(connect(0).is_some());
    }

    #[tokio::test]
    async fn one_customer_of_ipv6_takes_half_of_all_bytes_at_most() {
        let total = 64 << 20;
        let budget = Budget::new(BudgetLimits { total, per_address: total / 4, ..budget().limits });
        let mut held = Vec::new();
        for number in 0..1024 {
            let connection = budget.connection(&budget.address(customer(number)));
            while let Ok(more) = connection.reserve(64 * KIB) {
                held.push(more);
            }
        }
        assert_eq!(budget.in_flight(), total / 2);
        assert!(connection(&budget, [1, 1, 1, 1]).reserve(256 * KIB).is_ok());
    }

    #[tokio::test]
    async fn addresses_that_nobody_uses_are_forgotten() {
        let budget = budget();
        let used = budget.address([9, 9, 9, 9].into());
        (0..4 * TIDY_EVERY).for_each(|n| drop(budget.address(Ipv4Addr::from(n).into())));
        assert!(budget.addresses.len() <= TIDY_EVERY as usize + 1, "{}", budget.addresses.len());
        assert!(Arc::ptr_eq(&used, &budget.address([9, 9, 9, 9].into())));
        (0..u16::MAX).for_each(|n| drop(budget.address(std::net::Ipv6Addr::new(n, n, n, 0, 0, 0, 0, 1).into())));
        let networks = budget.networks.len();
        assert!(networks <= 4 * TIDY_EVERY as usize + 4, "{networks}");
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
        let piece = connection.reserve(6).expect("there is room").hold(Bytes::from_static(b"unread"));
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
