//! A load run against the real binary, which is killed and started anew in the middle of it: nothing is lost.

use std::net::SocketAddr;
use std::time::Duration;

use crate::common::process::Process;
use parley_bots::load::{self, Length, LoadPlan, Meter, Watcher};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How long all of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(180);
/// After how many turns of all the server is killed.
const KILLS: [u64; 2] = [200, 500];

/// Tells others how many turns are over.
struct Turns(watch::Sender<u64>);

impl Watcher for Turns {
    fn measured(&mut self, _: &Meter, all: &Meter) {
        self.0.send_replace(all.turns);
    }
}

/// An address that leads to wherever the server is now. While there is none, connections end at once.
async fn signpost(server: watch::Receiver<Option<SocketAddr>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let Some(server) = *server.borrow() else { continue };
            tokio::spawn(async move {
                if let Ok(mut server) = TcpStream::connect(server).await {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                }
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn killing_the_server_in_the_middle_of_a_run_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Process::start(folder.path(), &[]).await;
    let (place, places) = watch::channel(Some(server.address));
    let (turns, mut played) = watch::channel(0);
    let plan = LoadPlan {
        address: signpost(places).await.to_string(),
        matches: 40,
        length: Length::Turns(20),
        connections: 4,
        // Slow enough that the kills come in the middle.
        rate: Some(250),
        ..LoadPlan::default()
    };
    let running = tokio::spawn(async move { load::run(&plan, &mut Turns(turns)).await });
    let test = async {
        for kill in KILLS {
            played.wait_for(|turns| *turns >= kill).await.expect("the run goes on");
            place.send_replace(None);
            server.kill();
            server = Process::start(folder.path(), &[]).await;
            place.send_replace(Some(server.address));
        }
        running.await.expect("no panic").expect("it runs")
    };
    let report = tokio::time::timeout(PATIENCE, test).await.expect("something hangs");
    assert!(report.is_clean(), "{}", report.to_text());
    assert_eq!((report.all.turns, report.all.lock_ins), (800, 3200));
    assert_eq!((report.verified.matches, report.verified.turns, report.verified.receipts), (40, 800, 3200));
    assert!(report.all.reconnects >= 4, "{}", report.to_text());
    assert!(report.all.resumed >= 160, "{}", report.to_text());
}
