//! Heavy work, apart from the threads that answer calls.
//!
//! Drawing a map, reading a long match back, building a replay and telling turns again take milliseconds to seconds. A
//! few threads of low priority do such work. Each address has a queue of its own, and the threads take from the queues
//! in turn, so that whoever asks for much waits for themselves. A queue that is full refuses.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;
use tonic::Code;

use crate::refusal::{Reason, Refusal};

/// How much lower the priority of the threads is than that of those that answer calls.
const NICENESS: i32 = 10;
/// How many times `max_work_waiting` may wait where everything over it is the only work of its address.
const FIRST_WORK_FACTOR: usize = 2;
/// After which time whoever was refused may try again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How much heavy work there may be.
#[derive(Clone, Copy, Debug)]
pub struct WorkLimits {
    /// How many threads do heavy work.
    pub threads: usize,
    /// How much heavy work may wait for one address.
    pub waiting_per_address: usize,
    /// How much heavy work may wait in all.
    pub waiting: usize,
}

impl Default for WorkLimits {
    fn default() -> Self {
        Self { threads: default_threads(), waiting_per_address: 256, waiting: 4096 }
    }
}

/// How many threads do heavy work unless it is said: half of the machine's cores, and at least one. Each piece of work
/// can take as much memory as the largest match.
pub fn default_threads() -> usize {
    thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1))
}

/// Somebody for whom work is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Customer {
    /// The service itself, which is never refused: it brings back matches that others wait for.
    #[default]
    Service,
    /// Callers on this machine and the administrator, who are not refused either.
    Exempt,
    /// Callers from an address.
    Address(IpAddr),
}

/// Threads that do heavy work.
#[derive(Debug)]
pub struct WorkPool {
    queues: Arc<Queues>,
    limits: WorkLimits,
}

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queues {
    waiting: Mutex<Waiting>,
    wakeup: Condvar,
}

impl std::fmt::Debug for Queues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queues").finish_non_exhaustive()
    }
}

/// The work that waits, by customer.
#[derive(Default)]
struct Waiting {
    jobs: HashMap<Customer, VecDeque<Job>>,
    /// The customers whose turn it is next; everybody who has work is in it once.
    turns: VecDeque<Customer>,
    count: usize,
    closed: bool,
}

impl Waiting {
    /// Lets work wait, or says which setting's limit is reached. Where a few addresses have filled everything, those for
    /// whom nothing waits are let in all the same, up to a limit that is higher.
    fn push(&mut self, customer: Customer, job: Job, limits: &WorkLimits) -> Result<(), &'static str> {
        if matches!(customer, Customer::Address(_)) {
            let own = self.jobs.get(&customer).map_or(0, VecDeque::len);
            if own >= limits.waiting_per_address {
                return Err("max_work_waiting_per_address");
            }
            let most = if own == 0 { limits.waiting.saturating_mul(FIRST_WORK_FACTOR) } else { limits.waiting };
            if self.count >= most {
                return Err("max_work_waiting");
            }
        }
        let queue = self.jobs.entry(customer).or_default();
        if queue.is_empty() {
            self.turns.push_back(customer);
        }
        queue.push_back(job);
        self.count += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<Job> {
        let customer = self.turns.pop_front()?;
        let queue = self.jobs.get_mut(&customer)?;
        let job = queue.pop_front();
        if queue.is_empty() {
            self.jobs.remove(&customer);
        } else {
            self.turns.push_back(customer);
        }
        self.count -= 1;
        job
    }
}

impl Queues {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work until the pool is gone.
    fn serve(&self) {
        lower_priority();
        let mut waiting = self.lock();
        while !waiting.closed {
            match waiting.pop() {
                Some(job) => {
                    drop(waiting);
                    job();
                    waiting = self.lock();
                }
                None => waiting = self.wakeup.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl WorkPool {
    /// A pool with its threads.
    pub fn start(limits: WorkLimits) -> Self {
        let queues = Arc::new(Queues::default());
        for number in 0..limits.threads.max(1) {
            let queues = Arc::clone(&queues);
            let spawned = thread::Builder::new().name(format!("work-{number}")).spawn(move || queues.serve());
            if let Err(error) = spawned {
                tracing::error!(%error, "a thread for heavy work cannot be started");
            }
        }
        Self { queues, limits }
    }

    /// Does work for somebody when it is their turn. Nothing is done for a caller who has gone away meanwhile. Work
    /// that panics panics here.
    pub async fn run<T: Send + 'static>(
        &self,
        customer: Customer,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.run_async(customer, async move { work() }).await
    }

    /// Does work as [`WorkPool::run`] does that has to wait for something in between, such as a store.
    pub async fn run_async<T: Send + 'static>(
        &self,
        customer: Customer,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let runtime = Handle::current();
        if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread {
            // There is only one thread for everything, and who holds the time still holds it here as well.
            return Ok(work.await);
        }
        let (sender, done) = oneshot::channel::<Result<T, Box<dyn Any + Send>>>();
        let job = move || {
            if !sender.is_closed() {
                let result = catch_unwind(AssertUnwindSafe(|| runtime.block_on(work)));
                // Whoever waited for it may be gone by now.
                let _ = sender.send(result);
            }
        };
        let pushed = self.queues.lock().push(customer, Box::new(job), &self.limits);
        pushed.map_err(refuse)?;
        self.queues.wakeup.notify_one();
        match done.await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => Err(Refusal::draining()),
        }
    }

    /// How much work waits in all queues.
    pub fn waiting(&self) -> usize {
        self.queues.lock().count
    }
}

/// What those are told for whom no more work may wait.
fn refuse(setting: &str) -> Refusal {
    let message = format!("too much heavy work waits; the limit is {setting}");
    Refusal { retry_after: Some(RETRY_AFTER), ..Refusal::new(Code::ResourceExhausted, Reason::TooMuchWork, message) }
}

impl Drop for WorkPool {
    fn drop(&mut self) {
        let mut waiting = self.queues.lock();
        waiting.closed = true;
        waiting.jobs.clear();
        waiting.turns.clear();
        drop(waiting);
        self.queues.wakeup.notify_all();
    }
}

/// Lets the threads that answer calls go first. Where the system does not allow it, work is done all the same.
fn lower_priority() {
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    fn address(last: u8) -> Customer {
        Customer::Address([10, 0, 0, last].into())
    }

    fn pool() -> WorkPool {
        WorkPool::start(WorkLimits { threads: 1, waiting_per_address: 4, waiting: 6 })
    }

    /// Keeps the only thread busy until the sender is dropped.
    async fn busy(pool: &Arc<WorkPool>) -> mpsc::Sender<()> {
        let (sender, receiver) = mpsc::channel::<()>();
        let (begun, is_begun) = oneshot::channel();
        let worker = Arc::clone(pool);
        tokio::spawn(async move {
            let _ = worker
                .run(Customer::Service, move || {
                    let _ = begun.send(());
                    let _ = receiver.recv();
                })
                .await;
        });
        is_begun.await.expect("it begins");
        sender
    }

    async fn settle(pool: &WorkPool, waiting: usize) {
        let waits = async {
            while pool.waiting() < waiting {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), waits).await.expect("so much work waits soon");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn addresses_take_turns() {
        let pool = Arc::new(pool());
        let busy = busy(&pool).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut done = Vec::new();
        for (number, last) in [1, 1, 1, 1, 2, 3].into_iter().enumerate() {
            let (worker, order) = (Arc::clone(&pool), Arc::clone(&order));
            let note = move || order.lock().expect("no panic").push(last);
            done.push(tokio::spawn(async move { worker.run(address(last), note).await }));
            settle(&pool, number + 1).await;
        }
        drop(busy);
        for one in done {
            one.await.expect("no panic").expect("it is done");
        }
        assert_eq!(*order.lock().expect("no panic"), [1, 2, 3, 1, 1, 1]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_full_queue_refuses_its_address_alone_and_never_the_service() {
        let pool = Arc::new(pool());
        let busy = busy(&pool).await;
        let begin = |customer| {
            let worker = Arc::clone(&pool);
            tokio::spawn(async move { worker.run(customer, || ()).await })
        };
        let mut done: Vec<_> = (0..4).map(|_| begin(address(1))).collect();
        settle(&pool, 4).await;
        let refused = pool.run(address(1), || ()).await.expect_err("its queue is full");
        assert_eq!((refused.code, refused.reason), (Code::ResourceExhausted, Reason::TooMuchWork));
        assert_eq!(refused.message, "too much heavy work waits; the limit is max_work_waiting_per_address");
        done.extend([begin(address(2)), begin(address(3))]);
        settle(&pool, 6).await;
        let refused = pool.run(address(2), || ()).await.expect_err("as much waits as may");
        assert_eq!(refused.message, "too much heavy work waits; the limit is max_work_waiting");
        assert_eq!(pool.queues.lock().jobs.len(), 3, "who was refused left nothing behind");
        done.push(begin(Customer::Service));
        settle(&pool, 7).await;
        drop(busy);
        for one in done {
            one.await.expect("no panic").expect("it is done");
        }
        assert_eq!(pool.waiting(), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn few_addresses_with_much_work_keep_nobody_out_for_whom_nothing_waits() {
        let pool = Arc::new(pool());
        let busy = busy(&pool).await;
        let begin = |customer| {
            let worker = Arc::clone(&pool);
            tokio::spawn(async move { worker.run(customer, || ()).await })
        };
        let mut done: Vec<_> = [1, 1, 1, 1, 2, 2].into_iter().map(|last| begin(address(last))).collect();
        settle(&pool, 6).await;
        done.push(begin(address(3)));
        settle(&pool, 7).await;
        let refused = pool.run(address(3), || ()).await.expect_err("something of it waits already");
        assert_eq!(refused.message, "too much heavy work waits; the limit is max_work_waiting");
        done.extend((4..9).map(|last| begin(address(last))));
        settle(&pool, 12).await;
        let refused = pool.run(address(9), || ()).await.expect_err("that has an end too");
        assert_eq!(refused.message, "too much heavy work waits; the limit is max_work_waiting");
        drop(busy);
        for one in done {
            one.await.expect("no panic").expect("it is done");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn work_for_who_has_gone_is_not_done() {
        let pool = Arc::new(pool());
        let busy = busy(&pool).await;
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let worker = Arc::clone(&pool);
        let gone =
            tokio::spawn(async move { worker.run(address(1), move || counted.fetch_add(1, Ordering::Relaxed)).await });
        settle(&pool, 1).await;
        gone.abort();
        assert!(gone.await.is_err());
        drop(busy);
        pool.run(address(2), || ()).await.expect("it is done");
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_the_callers() {
        let pool = Arc::new(pool());
        let worker = Arc::clone(&pool);
        let panicked = tokio::spawn(async move { worker.run(address(1), || panic!("as planned")).await });
        assert!(panicked.await.expect_err("it panics").is_panic());
        assert_eq!(pool.run(address(1), || 7).await, Ok(7), "the thread goes on");
    }
}
