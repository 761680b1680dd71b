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
use driver::{Browser, until};
use lath_core::Handle;
use lath_inspect::{Budget, Inspector};
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
            .world_timeout(Duration::from_secs(600))
            .client_timeout(Duration::from_secs(600))
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
            inspector.budget(Budget::Time(Duration::from_millis(20))); // nobody waits for a frame
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

    /// Waits until the world itself answers this.
    fn wait<A>(&self, expected: A, f: impl Fn(&World, u64) -> A + Clone + Send + 'static)
    where
        A: PartialEq + std::fmt::Debug + Send + 'static,
    {
        until(&format!("{expected:?}"), || {
            let f = f.clone();
            let found = self.ask(move |world, runs| f(world, runs));
            if found == expected { Ok(()) } else { Err(format!("it is {found:?}")) }
        });
    }

    fn live(&self) -> usize {
        self.ask(|world, _| world.pool::<Actor>().len())
    }
}

impl Drop for Battle {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// The folder for pictures, and whether they are for the guide.
fn pictures() -> (PathBuf, bool) {
    match std::env::var_os("LATH_SCREENSHOTS") {
        Some(folder) => {
            (PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder), true)
        }
        None => (PathBuf::from(env!("CARGO_TARGET_TMPDIR")), false),
    }
}

/// Keeps a picture, which must be of something.
fn picture(browser: &Browser, name: &str) {
    let (folder, is_for_the_guide) = pictures();
    if is_for_the_guide {
        std::thread::sleep(Duration::from_secs(2)); // more to see in timelines and charts
    }
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

/// Plays a part on a page of its own, unless there is no browser: that is said past the test's own
/// output, which nobody would see. In the end the page has complained about nothing.
fn play(actors: usize, part: impl FnOnce(&Battle, &Browser)) {
    if !Browser::is_there() {
        let is_ci = std::env::var_os("LATH_CI").is_some();
        assert!(!is_ci, "there is no chromium and chromedriver, which CI installs");
        let _ = std::io::stderr()
            .write_all(b"SKIPPED: there is no chromium and chromedriver on this machine\n");
        return;
    }
    let battle = Battle::start(actors);
    let browser = Browser::start(1280, 800);
    browser.open(&battle.address);
    part(&battle, &browser);
    let messages = browser.messages();
    assert!(messages.is_empty(), "the page complains: {messages:#?}");
}

fn pause(browser: &Browser) {
    browser.click("#pause");
    browser.wait("document.getElementById('pause').textContent === 'Go on'");
}

/// What stands beside the filter: how many things there are, or pass.
fn note(is: &str) -> String {
    format!(
        "document.querySelector('#view-things .note').textContent.replaceAll(' ', '') === '{is}'"
    )
}

/// The first of the two leaders, in the details.
fn pick_leader(browser: &Browser) -> Handle<Actor> {
    browser.fill("#filter", "name ~ \"leader\"");
    browser.wait(&note("2pass"));
    browser.wait("document.querySelectorAll('#view-things .row[data-id]').length === 2");
    browser.click("#view-things .row[data-at=\"0\"][data-id]");
    browser.wait("document.querySelector('#details input[aria-label=hp]')");
    let bits = browser.eval("document.querySelector('#view-things .row.on').dataset.id");
    Handle::from_bits(bits.as_str().unwrap().parse().unwrap())
}

#[test]
fn the_table_lists_filters_and_sorts() {
    play(5000, |_, browser| {
        browser.wait("document.querySelectorAll('#view-things .row[data-id]').length > 15");
        // The counts beside it.
        browser.wait("document.querySelectorAll('#pools .pool').length === 3");
        browser.wait("document.getElementById('status').textContent.startsWith('tick')");
        browser.wait("document.querySelector('#view-things .note').textContent.endsWith('things')");

        // It scrolls to the end.
        browser.eval("document.querySelector('.scroll').scrollTop = 1e9");
        browser.wait(
            "(() => { const rows = [...document.querySelectorAll('#view-things .row[data-id]')];
                const total = document.querySelector('#view-things .note').textContent.replace(/\\D/g, '');
                return rows.length > 15 && Number(rows.at(-1).dataset.at) === total - 1; })()",
        );

        // A filter, and what it says when it is wrong.
        let error = "document.querySelector('#view-things .error').textContent";
        browser.fill("#filter", "hp <");
        browser.wait(&format!("{error}.includes('column 5')"));
        browser.fill("#filter", "name ~ \"leader\"");
        browser.wait(&note("2pass"));
        browser.wait("document.querySelectorAll('#view-things .row[data-id]').length === 2");

        // Tags to click on: with, without, whatever. What is typed counts as well, and its mistakes
        // are shown where they are.
        let first =
            "document.querySelector('#view-things .row[data-id] .cell:nth-child(2)').textContent";
        browser.click("[data-tag=ELF]");
        browser.wait(&note("1pass"));
        browser.fill("#filter", "hp <");
        browser.wait(&format!("{error}.includes('column 5')"));
        browser.fill("#filter", "name ~ \"leader\"");
        browser.wait(&format!("{error} === ''"));
        browser.click("[data-tag=ELF]");
        browser.wait(
            "document.querySelector('[data-tag=ELF]').getAttribute('aria-pressed') === 'mixed'",
        );
        browser.wait(&format!("{first} === 'leader of the Red Hand'"));
        browser.click("[data-tag=ELF]");
        browser.wait(&note("2pass"));

        // Sorted by name: up, down, not at all.
        browser.click("[data-sort=name]");
        browser.click("[data-sort=name]");
        browser.wait(&format!("{first}.includes('Silver')"));
        browser.click("[data-sort=name]");
        browser.wait(&format!("{first} === 'leader of the Red Hand'"));

        // A column comes and goes.
        let headings = "[...document.querySelectorAll('#view-things .head button')].map((one) => one.textContent)";
        let tick = "[...document.querySelectorAll('.menu label')].find((one) => one.textContent.trim() === 'generation').click()";
        browser.eval("document.querySelector('#view-things .menu > button').click()");
        browser.eval(tick);
        browser.wait(&format!("{headings}.includes('generation')"));
        browser.eval(tick);
        browser.wait(&format!("!{headings}.includes('generation')"));
    });
}

#[test]
fn a_paused_world_stands_still_and_a_step_is_one_run() {
    play(200, |battle, browser| {
        pause(browser);
        let before = battle.runs();
        browser.click("#step");
        battle.wait(before + 1, |_, runs| runs);
        browser.keys("body", ".");
        battle.wait(before + 2, |_, runs| runs);
        browser.wait("document.getElementById('status').textContent.includes('paused')");
        assert_eq!(battle.runs(), before + 2);
        browser.click("#pause");
        browser.wait("document.getElementById('pause').textContent === 'Pause'");
        until("it goes on", || match battle.runs() {
            runs if runs > before + 2 => Ok(()),
            runs => Err(format!("{runs} runs")),
        });
    });
}

#[test]
fn an_edit_changes_the_world_or_says_why_it_cannot_and_undo_takes_it_back() {
    play(200, |battle, browser| {
        pause(browser);
        let leader = pick_leader(browser);
        let read = move |world: &World, _| *world.read(leader).hp;
        let hp = battle.ask(move |world, runs| read(world, runs));
        browser.fill("#details input[aria-label=hp]", "much\u{E007}");
        browser.wait(
            "document.querySelector('[data-field=hp] .wrong').textContent.includes('cannot be that')",
        );
        assert_eq!(battle.ask(move |world, runs| read(world, runs)), hp);
        browser.fill("#details input[aria-label=hp]", "42.5\u{E007}");
        battle.wait(42.5, read);
        browser.wait("[...document.querySelectorAll('#view-things .row[data-id] .cell')].some((cell) => cell.textContent === '42.5')");
        browser.click("#undo:enabled");
        battle.wait(hp, read);
        // Tags are boxes to tick.
        browser.eval("[...document.querySelectorAll('[data-field=tags] label')].find((label) => label.textContent.includes('FROZEN')).click()");
        battle.wait(true, move |world, _| world.pool::<Actor>().has(leader, battle::Tags::FROZEN));
    });
}

#[test]
fn things_are_spawned_despawned_and_brought_back() {
    play(200, |battle, browser| {
        pause(browser);
        pick_leader(browser);
        let count = |world: &World, _| world.pool::<Actor>().len();
        let live = battle.live();
        browser.click("#spawn");
        battle.wait(live + 1, count);
        browser.wait("document.querySelector('#details h2').textContent.startsWith('Actor')");
        browser.click("#despawn");
        browser.wait("document.querySelector('#details .error')?.textContent.includes('stale')");
        assert_eq!(battle.live(), live);
        // One that was alone comes again, by another handle.
        browser.click("#undo:enabled");
        browser.wait("document.querySelector('#despawn')");
        assert_eq!(battle.live(), live + 1);
        browser.click("#despawn");
        browser.wait("document.querySelector('#details .error')?.textContent.includes('stale')");
        assert_eq!(battle.live(), live);
    });
}

#[test]
fn the_tree_opens_level_by_level_and_a_thing_that_is_dragged_onto_another_moves_there() {
    play(5000, |battle, browser| {
        pause(browser);
        browser.click("#tab-tree");
        browser.wait("document.querySelectorAll('#view-tree .node[data-id]').length === 2");
        browser.click("#view-tree .node .twist");
        browser.wait("document.querySelectorAll('#view-tree .node[data-id]').length > 6");
        let moved = browser.eval(
            "(() => { const nodes = [...document.querySelectorAll('#view-tree .node[data-parent]')].filter((node) => node.dataset.parent);
                const moved = [nodes[1].dataset.id, nodes[0].dataset.id];
                const dataTransfer = new DataTransfer();
                nodes[1].dispatchEvent(new DragEvent('dragstart', { dataTransfer, bubbles: true }));
                nodes[0].dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true }));
                nodes[0].dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
                return moved; })()",
        );
        let [child, parent] = [0, 1].map(|at| moved[at].as_str().unwrap().parse().unwrap());
        let [child, parent] = [child, parent].map(Handle::<Actor>::from_bits);
        battle.wait(Some(parent), move |world, _| world.pool::<Actor>().tree().parent(child));
        browser.wait("document.querySelector('#view-tree .node.on')");
        picture(browser, "tree");
    });
}

#[test]
fn the_schedule_has_a_timeline_and_a_graph_and_says_why() {
    play(5000, |_, browser| {
        browser.click("#tab-schedule");
        browser.click("#view-schedule input[type=checkbox]");
        browser.wait(&is_drawn("#view-schedule canvas"));
        browser.wait("document.querySelectorAll('#view-schedule svg g').length === 7");
        browser.wait("document.querySelectorAll('#view-schedule svg path').length >= 4");
        browser.eval(
            "document.querySelector('[data-system=fight]').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
        );
        browser.wait("document.querySelector('#view-schedule').innerText.includes('waits for heal: field `hp` of `Actor`')");
        browser.wait("document.querySelectorAll('#view-schedule tbody tr').length === 7");
        picture(browser, "schedule");
    });
}

#[test]
fn charts_and_the_map_are_drawn() {
    play(5000, |_, browser| {
        browser.click("#tab-charts");
        browser.wait("document.querySelectorAll('#view-charts canvas').length >= 3");
        browser.wait(&is_drawn("#view-charts canvas"));
        picture(browser, "charts");
        browser.click("#tab-map");
        browser.wait("document.querySelector('#view-map .legend').textContent.includes('points')");
        browser.wait("document.querySelector('#view-map .legend').textContent.includes('ORC')");
        browser.wait(&is_drawn("#view-map canvas"));
        picture(browser, "map");
    });
}

#[test]
fn all_of_it_is_there_in_the_dark_and_on_a_phone() {
    play(5000, |_, browser| {
        pause(browser); // so that who is picked does not die meanwhile
        browser.fill("#filter", "hp < 60");
        browser.click("[data-tag=ORC]");
        browser.wait(
            "(() => { const rows = [...document.querySelectorAll('#view-things .row[data-id]')];
                return rows.length > 15 && rows.every((row) => row.textContent.includes('ORC')); })()",
        );
        browser.click("#view-things .row[data-id]:nth-child(4)");
        browser.wait("document.querySelector('#details input[aria-label=hp]')");
        picture(browser, "things");
        browser.keys("body", "t");
        browser.wait("document.documentElement.classList.contains('dark')");
        picture(browser, "dark");
        browser.as_phone();
        browser.wait("innerWidth === 390");
        browser.wait("document.documentElement.scrollWidth <= innerWidth + 1");
        browser.wait("document.querySelectorAll('#view-things .row[data-id]').length > 5");
        // Rows are higher there, for fingers, and stand as far apart as they are high.
        browser.wait(
            "(() => { const [one, two] = document.querySelectorAll('#view-things .row[data-id]');
                return one.offsetHeight === 30 && two.offsetTop - one.offsetTop === 30; })()",
        );
        picture(browser, "phone");
    });
}

#[test]
fn a_table_that_is_taller_than_browsers_can_draw_scrolls_to_its_end() {
    play(360_000, |battle, browser| {
        pause(browser);
        let (live, last) = battle.ask(|world, _| {
            let actors = world.pool::<Actor>();
            (actors.len(), actors.handles().last().unwrap().to_bits())
        });
        let row = browser.eval(
            "parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'))",
        );
        assert!(live as f64 * row.as_f64().unwrap() > 8e6, "not tall enough to show anything");
        // All of them are listed.
        browser.wait(&note(&format!("{live}things")));
        browser.eval("document.querySelector('.scroll').scrollTop = 1e12");
        // It can be seen, and the keys lead back to the first.
        browser.wait(&format!(
            "(() => {{ const row = document.querySelector('#view-things .row[data-id=\"{last}\"]').getBoundingClientRect();
                const box = document.querySelector('.scroll').getBoundingClientRect();
                return row.top >= box.top && row.bottom <= box.bottom + 1; }})()"
        ));
        browser.keys(".scroll", "\u{E011}"); // Home
        browser.wait("document.querySelector('#view-things .row[data-at=\"0\"][data-id]')");
        browser.wait(
            "document.querySelector('#details h2').textContent.includes('leader of the Red Hand')",
        );
    });
}
