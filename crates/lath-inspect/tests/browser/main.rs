//! The page in a real browser, against a world that runs: what is clicked happens, and what happens
//! is seen.
//!
//! Needs `chromium` and `chromedriver`. Without them it is skipped and says so; with `LATH_CI=1`
//! that is a failure. `LATH_SCREENSHOTS=folder` keeps the pictures there.
#![cfg(feature = "http")]

#[path = "../../examples/battle/mod.rs"]
mod battle;
mod driver;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use battle::{Actor, Camp};
use driver::Browser;
use lath_core::Handle;
use lath_inspect::Inspector;
use lath_schedule::World;

type Errand = Box<dyn FnOnce(&mut World, u64) + Send>;

/// The battle, on a thread of its own.
struct Battle {
    address: String,
    errands: Sender<Errand>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Battle {
    fn start(actors: usize) -> Self {
        let mut inspector = Inspector::options()
            .world_timeout(Duration::from_secs(60))
            .bind("127.0.0.1:0")
            .unwrap();
        let address = format!("http://{}/", inspector.address().unwrap());
        let (errands, to_do) = channel::<Errand>();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut world = World::new();
            battle::populate(&mut world, actors);
            let mut schedule = battle::systems();
            inspector.pool::<Actor>().pool::<Camp>();
            inspector.count_spawns::<Actor>(&mut world);
            let mut runs = 0;
            while !stopped.load(Ordering::Relaxed) {
                for _ in 0..inspector.steps() {
                    schedule.run(&mut world);
                    runs += 1;
                }
                inspector.update(&mut world, &mut schedule);
                to_do.try_iter().for_each(|errand| errand(&mut world, runs));
                std::thread::sleep(Duration::from_millis(8));
            }
        });
        Self { address, errands, stop, thread: Some(thread) }
    }

    /// Asks the world itself, and tells how often it has run.
    fn ask<A: Send + 'static>(&self, f: impl FnOnce(&mut World, u64) -> A + Send + 'static) -> A {
        let (tell, told) = channel();
        let errand: Errand = Box::new(move |world, runs| tell.send(f(world, runs)).unwrap());
        self.errands.send(errand).unwrap();
        told.recv().unwrap()
    }

    fn runs(&self) -> u64 {
        self.ask(|_, runs| runs)
    }
}

impl Drop for Battle {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// Keeps a picture, which must be of something.
fn picture(browser: &Browser, name: &str) {
    let folder = match std::env::var_os("LATH_SCREENSHOTS") {
        Some(folder) => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    };
    // Nothing in front of it, and not scrolled aside by whatever was clicked.
    browser.wait("document.getElementById('toast').hidden");
    browser.eval("document.querySelectorAll('.scroll').forEach((box) => { box.scrollLeft = 0; })");
    let png = browser.screenshot();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000, "{name}: {} bytes", png.len());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("inspector-{name}.png")), png).unwrap();
}

/// Whether a canvas has anything drawn on it.
fn is_drawn(selector: &str) -> String {
    format!(
        "(() => {{ const canvas = document.querySelector('{selector}');
            if (!canvas || !canvas.width || !canvas.height) return false;
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return pixels.filter((value, at) => at % 4 === 3 && value > 0).length > 500; }})()"
    )
}

fn count(browser: &Browser) -> String {
    browser
        .eval("document.querySelector('#view-things .note').textContent")
        .as_str()
        .unwrap()
        .to_owned()
}

/// Whether there is a browser; without one, says so past the test's own output, which nobody would
/// see.
fn is_there() -> bool {
    let is_there = Browser::is_there();
    assert!(
        is_there || std::env::var_os("LATH_CI").is_none(),
        "there is no chromium and chromedriver, which CI installs"
    );
    if !is_there {
        let _ = std::io::stderr()
            .write_all(b"SKIPPED: there is no chromium and chromedriver on this machine\n");
    }
    is_there
}

#[test]
fn the_page_shows_and_changes_a_world_that_runs() {
    if !is_there() {
        return;
    }
    let battle = Battle::start(5000);
    let browser = Browser::start(1280, 800);
    browser.open(&battle.address);

    // The table, and the counts beside it.
    browser.wait("document.querySelectorAll('#view-things .row[data-id]').length > 15");
    browser.wait("document.querySelectorAll('#pools .pool').length === 3");
    browser.wait("document.getElementById('status').textContent.startsWith('tick')");
    assert!(count(&browser).ends_with("things"), "{}", count(&browser));

    // It scrolls to the end.
    browser.eval("document.querySelector('.scroll').scrollTop = 1e9");
    browser.wait("[...document.querySelectorAll('#view-things .row[data-id]')].length > 15");

    // A filter, and what it says when it is wrong.
    browser.fill("#filter", "hp <");
    browser.wait("document.querySelector('#view-things .error').textContent.includes('column 5')");
    browser.fill("#filter", "name ~ \"leader\"");
    browser.wait("document.querySelector('#view-things .note').textContent === '2 pass'");
    browser.wait("document.querySelectorAll('#view-things .row[data-id]').length === 2");
    let leader = browser.eval("document.querySelector('#view-things .row[data-id]').dataset.id");
    let leader = Handle::<Actor>::from_bits(leader.as_str().unwrap().parse().unwrap());

    // Tags to click on: with, without, whatever. What is typed counts as well, and its mistakes are
    // shown where they are.
    browser.click("[data-tag=ELF]");
    browser.wait("document.querySelector('#view-things .note').textContent === '1 pass'");
    browser.fill("#filter", "hp <");
    browser.wait("document.querySelector('#view-things .error').textContent.includes('column 5')");
    browser.fill("#filter", "name ~ \"leader\"");
    browser.click("[data-tag=ELF]");
    browser
        .wait("document.querySelector('[data-tag=ELF]').getAttribute('aria-pressed') === 'mixed'");
    browser.wait("document.querySelector('#view-things .row[data-id] .cell:nth-child(2)').textContent === 'leader of the Red Hand'");
    browser.click("[data-tag=ELF]");
    browser.wait("document.querySelector('#view-things .note').textContent === '2 pass'");

    // Sorted by name: up, down, not at all. A column comes and goes.
    browser.click("[data-sort=name]");
    browser.click("[data-sort=name]");
    browser
        .wait("document.querySelector('#view-things .row[data-id] .cell:nth-child(2)').textContent.includes('Silver')");
    browser.click("[data-sort=name]");
    let headings =
        "[...document.querySelectorAll('#view-things .head button')].map((one) => one.textContent)";
    browser.eval("[...document.querySelectorAll('#view-things .menu > button')][0].click()");
    browser.eval(
        "[...document.querySelectorAll('.menu label')].find((one) => one.textContent.trim() === 'generation').click()",
    );
    browser.wait(&format!("{headings}.includes('generation')"));
    browser.eval(
        "[...document.querySelectorAll('.menu label')].find((one) => one.textContent.trim() === 'generation').click()",
    );
    browser.wait(&format!("!{headings}.includes('generation')"));
    browser.eval("document.body.click()");

    // Paused, the world stands still; a step is one run.
    browser.click("#pause");
    browser.wait("document.getElementById('pause').textContent === 'Go on'");
    let before = battle.runs();
    browser.click("#step");
    while battle.runs() == before {
        std::thread::sleep(Duration::from_millis(10));
    }
    browser.keys("body", ".");
    while battle.runs() < before + 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    browser.wait("document.getElementById('status').textContent.includes('paused')");
    assert_eq!(battle.runs(), before + 2);

    // An edit changes the world; one that cannot be says why; undo takes it back.
    browser.click("#view-things .row[data-id]");
    browser.wait("document.querySelector('#details input[aria-label=hp]')");
    let hp = battle.ask(move |world, _| *world.read(leader).hp);
    browser.fill("#details input[aria-label=hp]", "much\u{E007}");
    browser.wait(
        "document.querySelector('[data-field=hp] .wrong').textContent.includes('cannot be that')",
    );
    assert_eq!(battle.ask(move |world, _| *world.read(leader).hp), hp);
    browser.fill("#details input[aria-label=hp]", "42.5\u{E007}");
    while battle.ask(move |world, _| *world.read(leader).hp) != 42.5 {
        std::thread::sleep(Duration::from_millis(10));
    }
    browser.wait("[...document.querySelectorAll('#view-things .row[data-id] .cell')].some((cell) => cell.textContent === '42.5')");
    browser.wait("!document.getElementById('undo').disabled");
    browser.click("#undo");
    while battle.ask(move |world, _| *world.read(leader).hp) != hp {
        std::thread::sleep(Duration::from_millis(10));
    }
    // Tags are boxes to tick.
    browser.eval("[...document.querySelectorAll('[data-field=tags] label')].find((label) => label.textContent.includes('FROZEN')).click()");
    while !battle.ask(move |world, _| world.pool::<Actor>().has(leader, battle::Tags::FROZEN)) {
        std::thread::sleep(Duration::from_millis(10));
    }

    // Things come and go.
    let live = battle.ask(|world, _| world.pool::<Actor>().len());
    browser.click("#spawn");
    while battle.ask(|world, _| world.pool::<Actor>().len()) != live + 1 {
        std::thread::sleep(Duration::from_millis(10));
    }
    browser.wait("document.querySelector('#details h2').textContent.startsWith('Actor')");
    browser.click("#despawn");
    browser.wait("document.querySelector('#details .error')?.textContent.includes('stale')");
    assert_eq!(battle.ask(|world, _| world.pool::<Actor>().len()), live);
    // One that was alone comes again, by another handle.
    browser.click("#undo");
    browser.wait("document.querySelector('#despawn')");
    assert_eq!(battle.ask(|world, _| world.pool::<Actor>().len()), live + 1);
    browser.click("#despawn");
    browser.wait("document.querySelector('#details .error')?.textContent.includes('stale')");

    // The tree opens level by level; a thing that is dragged onto another moves there.
    browser.click("#tab-tree");
    browser.wait("document.querySelectorAll('#view-tree .node[data-id]').length === 2");
    browser.click("#view-tree .node .twist");
    browser.wait("document.querySelectorAll('#view-tree .node[data-id]').length > 6");
    browser.eval(
        "(() => { const nodes = [...document.querySelectorAll('#view-tree .node[data-parent]')].filter((node) => node.dataset.parent);
            window.moved = [nodes[1].dataset.id, nodes[0].dataset.id];
            const dataTransfer = new DataTransfer();
            nodes[1].dispatchEvent(new DragEvent('dragstart', { dataTransfer, bubbles: true }));
            nodes[0].dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true }));
            nodes[0].dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })); })()",
    );
    let [child, parent] =
        [0, 1].map(|at| browser.eval(&format!("window.moved[{at}]")).as_str().unwrap().to_owned());
    let [child, parent] =
        [child, parent].map(|bits| Handle::<Actor>::from_bits(bits.parse().unwrap()));
    while battle.ask(move |world, _| world.pool::<Actor>().tree().parent(child)) != Some(parent) {
        std::thread::sleep(Duration::from_millis(10));
    }
    browser.wait("document.querySelector('#view-tree .node.on')");
    picture(&browser, "tree");

    // On with it. The schedule: a timeline, a graph, and why.
    browser.click("#pause");
    browser.wait("document.getElementById('pause').textContent === 'Pause'");
    browser.click("#tab-schedule");
    browser.click("#view-schedule input[type=checkbox]");
    browser.wait(&is_drawn("#view-schedule canvas"));
    browser.wait("document.querySelectorAll('#view-schedule svg g').length === 7");
    browser.wait("document.querySelectorAll('#view-schedule svg path').length >= 4");
    browser.eval(
        "document.querySelector('[data-system=fight]').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    );
    browser
        .wait("document.querySelector('#view-schedule').innerText.includes('waits for heal: field `hp` of `Actor`')");
    browser.wait("[...document.querySelectorAll('#view-schedule tbody tr')].length === 7");
    picture(&browser, "schedule");

    // Charts, and the map.
    browser.click("#tab-charts");
    browser.wait("document.querySelectorAll('#view-charts canvas').length >= 3");
    browser.wait(&is_drawn("#view-charts canvas"));
    std::thread::sleep(Duration::from_secs(1));
    picture(&browser, "charts");
    browser.click("#tab-map");
    browser.wait("document.querySelector('#view-map .legend').textContent.includes('points')");
    browser.wait("document.querySelector('#view-map .legend').textContent.includes('ORC')");
    browser.wait(&is_drawn("#view-map canvas"));
    picture(&browser, "map");

    // All of the table, in the dark; and on a phone.
    browser.keys("body", "1");
    browser.click("#pause"); // so that who is picked does not die meanwhile
    browser.wait("document.getElementById('pause').textContent === 'Go on'");
    browser.fill("#filter", "hp < 60");
    browser.click("[data-tag=ORC]");
    browser.wait("document.querySelectorAll('#view-things .row[data-id]').length > 15");
    browser.wait(
        "[...document.querySelectorAll('#view-things .row[data-id]')].every((row) => row.textContent.includes('ORC'))",
    );
    browser.click("#view-things .row[data-id]:nth-child(4)");
    browser.wait("document.querySelector('#details input[aria-label=hp]')");
    picture(&browser, "things");
    browser.keys("body", "t");
    let is_dark = "document.documentElement.classList.contains('dark')";
    browser.wait(is_dark);
    picture(&browser, "dark");
    browser.as_phone();
    browser.wait("innerWidth === 390");
    browser.wait("document.documentElement.scrollWidth <= innerWidth + 1");
    browser.wait("document.querySelectorAll('#view-things .row[data-id]').length > 5");
    // Rows are higher there, for fingers, and stand as far apart as they are high.
    browser.wait(
        "(() => { const [one, two] = document.querySelectorAll('#view-things .row[data-id]');
            return one.offsetHeight === 30 && two.offsetTop - one.offsetTop === 30; })()",
    );
    picture(&browser, "phone");

    // The last filter of a mistaken kind is answered with 400, which browsers report as well.
    let messages: Vec<_> = browser
        .messages()
        .into_iter()
        .filter(|message| !message.contains("the server responded"))
        .collect();
    assert!(messages.is_empty(), "the page complains: {messages:#?}");
}

#[test]
fn a_table_that_is_taller_than_browsers_can_draw_scrolls_to_its_end() {
    if !is_there() {
        return;
    }
    let battle = Battle::start(360_000);
    let browser = Browser::start(1280, 800);
    browser.open(&battle.address);
    browser.click("#pause");
    browser.wait("document.getElementById('pause').textContent === 'Go on'");
    let (live, last) = battle.ask(|world, _| {
        let actors = world.pool::<Actor>();
        (actors.len(), actors.handles().last().unwrap().to_bits())
    });
    let row = browser
        .eval("parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'))");
    assert!(live as f64 * row.as_f64().unwrap() > 8e6, "not tall enough to show anything");
    // All of them are listed: the heading with the number has spaces in it.
    let listed = format!(
        "document.querySelector('#view-things .note').textContent.replaceAll(' ', '') === '{live}things'"
    );
    browser.wait(&listed);
    browser.eval("document.querySelector('.scroll').scrollTop = 1e12");
    browser.wait(&format!("document.querySelector('#view-things .row[data-id=\"{last}\"]')"));
    // It can be seen, and the keys lead back to the first.
    let seen = format!(
        "(() => {{ const row = document.querySelector('#view-things .row[data-id=\"{last}\"]').getBoundingClientRect();
            const box = document.querySelector('.scroll').getBoundingClientRect();
            return row.top >= box.top && row.bottom <= box.bottom + 1; }})()"
    );
    browser.wait(&seen);
    browser.keys(".scroll", "\u{E011}"); // Home
    browser.wait("document.querySelector('#view-things .row[data-at=\"0\"][data-id]')");
    browser.wait(
        "document.querySelector('#details h2').textContent.includes('leader of the Red Hand')",
    );
}
