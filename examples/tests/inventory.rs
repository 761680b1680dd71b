//! The inventory demo: its rules as a library, and the program as a user meets it.

#[path = "../examples/inventory/rules/mod.rs"]
mod rules;

/// Its own tests run here, since those of an example do not.
#[path = "../examples/inventory/text/command.rs"]
mod command;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use lath::prelude::*;
use rules::{Grams, Held, Inside, Inventory, Item, Kind, Recipe, Refusal};

/// A place, somebody with two hands, and a bag.
struct Start {
    all: Inventory,
    place: Handle<Item>,
    you: Handle<Item>,
    hands: [Handle<Item>; 2],
    bag: Handle<Item>,
}

fn start() -> Start {
    let mut all = Inventory::new();
    let place = all.add_place("place");
    let you = all.add(Item::person("you", 3, Grams(9000)), place).unwrap();
    let hands = ["left", "right"].map(|name| all.add_hand(name, you).unwrap());
    assert_eq!(all.hands(you).collect::<Vec<_>>(), hands);
    let bag = all.add(Item::new("bag", Grams(100)).holding(3, Grams(1000)), you).unwrap();
    Start { all, place, you, hands, bag }
}

fn coins(count: u32) -> Item {
    Item::new("coin", Grams(10)).stack(count, 20)
}

fn pouch() -> Item {
    Item::new("pouch", Grams(5)).holding(2, Grams(500))
}

/// Every item with what it is in and what holds it: all that a refusal must not change.
fn picture(all: &Inventory) -> String {
    let items = all.items();
    let around =
        |item| (items.tree_of::<Inside>().parent(item), items.tree_of::<Held>().parent(item));
    items.iter().map(|(handle, item)| format!("{handle} {item:?} {:?}\n", around(handle))).collect()
}

#[test]
fn a_stack_joins_its_kind_and_the_rest_keeps_its_handle() {
    let Start { mut all, place, bag, .. } = start();
    let old = all.add(coins(15), bag).unwrap();
    let new = all.add(coins(12), place).unwrap();
    assert_eq!(all.put(new, 12, bag), Ok(new));
    assert_eq!((all.items()[old].count, all.items()[new].count), (20, 7));

    // All of it fits: the stack is gone, and its handle says so.
    let few = all.add(coins(3), place).unwrap();
    assert_eq!(all.put(few, 3, bag), Ok(new));
    assert!(!all.items().contains(few));
    assert!(matches!(all.put(few, 1, bag), Err(Refusal::Gone(HandleError::Stale { .. }))));
    all.check().unwrap();
}

#[test]
fn the_weight_counts_for_everything_around() {
    let Start { mut all, place, you, bag, .. } = start();
    let pouch = all.add(pouch(), bag).unwrap();
    all.add(coins(20), pouch).unwrap();
    assert_eq!(all.items()[bag].load(), Grams(205));
    assert_eq!(all.items()[you].load(), Grams(305));
    // The pouch would bear it, and has room for it; the bag around it would not.
    all.add(Item::new("stone", Grams(700)), bag).unwrap();
    let stone = all.add(Item::new("pebble", Grams(200)), place).unwrap();
    let refused = Refusal::TooHeavy {
        container: "the bag".into(),
        load: Grams(905),
        more: Grams(200),
        bears: Grams(1000),
    };
    assert_eq!(all.put(stone, 1, pouch), Err(refused));
    // What is in the bag already may go deeper: it is no heavier for the bag.
    let light = all.add(Item::new("feather", Grams(90)), bag).unwrap();
    assert_eq!(all.put(light, 1, pouch), Ok(light));
    all.check().unwrap();
}

#[test]
fn a_container_has_only_so_many_places() {
    let Start { mut all, place, bag, .. } = start();
    let old = all.add(coins(18), bag).unwrap();
    for name in ["key", "comb"] {
        all.add(Item::new(name, Grams(20)), bag).unwrap();
    }
    let new = all.add(coins(5), place).unwrap();
    let before = picture(&all);
    assert_eq!(
        all.put(new, 5, bag),
        Err(Refusal::Full { container: "the bag".into(), places: 3, fits: 2 })
    );
    assert_eq!(
        all.split(old, 3),
        Err(Refusal::Full { container: "the bag".into(), places: 3, fits: 0 })
    );
    assert_eq!(picture(&all), before);
    assert_eq!(all.put(new, 2, bag), Ok(old));
    all.check().unwrap();
}

#[test]
fn nothing_goes_into_itself() {
    let Start { mut all, place, bag, .. } = start();
    let pouch = all.add(pouch(), bag).unwrap();
    let before = picture(&all);
    for into in [bag, pouch] {
        assert!(matches!(all.put(bag, 1, into), Err(Refusal::IntoItself { .. })));
    }
    assert!(matches!(all.put(place, 1, bag), Err(Refusal::Fixed { kind: Kind::Place, .. })));
    assert_eq!(picture(&all), before);
}

#[test]
fn an_item_is_in_the_bag_and_in_the_hand_until_one_of_them_is_left() {
    let Start { mut all, you, hands: [left, right], bag, .. } = start();
    let sword = all.add(Item::new("sword", Grams(300)), bag).unwrap();
    all.equip(sword, left).unwrap();
    assert_eq!(
        (all.held_by(left), all.items().tree_of::<Inside>().parent(sword)),
        (Some(sword), Some(bag))
    );
    all.equip(sword, right).unwrap();
    assert_eq!((all.held_by(left), all.hand_of(sword)), (None, Some(right)));

    // Inside of what one carries nothing changes; with the bag on the floor the hand is empty.
    assert_eq!(all.put(sword, 1, you), Ok(sword));
    assert_eq!(all.hand_of(sword), Some(right));
    assert_eq!(all.put(sword, 1, bag), Ok(sword));
    all.drop_here(bag, 1).unwrap();
    assert_eq!(all.hand_of(sword), None);
    assert!(matches!(all.equip(sword, left), Err(Refusal::NotCarried { .. })));
    assert!(matches!(all.unequip(sword), Err(Refusal::NotHeld { .. })));
    all.check().unwrap();
}

#[test]
fn what_a_hand_holds_does_not_join_others() {
    let Start { mut all, you, hands: [left, _], bag, .. } = start();
    all.add(coins(5), bag).unwrap();
    let held = all.add(coins(4), you).unwrap();
    all.equip(held, left).unwrap();
    assert_eq!(all.put(held, 4, bag), Ok(held));
    assert_eq!((all.held_by(left), all.items()[held].count), (Some(held), 4));
}

#[test]
fn what_was_in_a_smashed_chest_lies_where_it_was() {
    let Start { mut all, place, bag, .. } = start();
    let chest = all.add(Item::new("chest", Grams(5000)).holding(9, Grams(9000)), place).unwrap();
    let inside = [all.add(pouch(), chest).unwrap(), all.add(coins(4), chest).unwrap()];
    let deep = all.add(coins(5), inside[0]).unwrap();
    let last = all.add(Item::new("broom", Grams(800)), place).unwrap();
    all.smash(chest).unwrap();
    let around: Vec<_> = all.items().tree_of::<Inside>().children(place).skip(1).collect();
    assert_eq!(around, [inside[0], inside[1], last]);
    assert!(all.has(inside[0], deep));
    assert!(matches!(all.smash(bag), Err(Refusal::NotOnTheFloor { .. })));
    all.check().unwrap();
}

#[test]
fn a_recipe_takes_all_its_parts_or_none() {
    let Start { mut all, you, bag, .. } = start();
    let recipe = Recipe {
        makes: Item::new("necklace", Grams(60)),
        parts: vec![("coin", 25), ("string", 1)],
    };
    all.add(coins(20), bag).unwrap();
    let more = all.add(coins(20), bag).unwrap();
    let before = picture(&all);
    let missing = Refusal::Parts { item: "necklace".into(), missing: vec![("string", 1)] };
    assert_eq!(all.craft(you, &recipe), Err(missing));
    assert_eq!(picture(&all), before);

    all.add(Item::new("string", Grams(1)), you).unwrap();
    let made = all.craft(you, &recipe).unwrap();
    assert!(all.has(bag, made));
    assert_eq!(all.items()[more].count, 15);
    all.check().unwrap();
}

/// Thousands of random calls. After each the rules hold, no coin is lost, and a refusal has changed
/// nothing.
#[test]
fn whatever_is_tried_the_rules_hold_and_nothing_is_lost() {
    for seed in 1..=6 {
        let Start { mut all, place, you, hands, bag } = start();
        let mut dice = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed);
        let mut roll = |end: usize| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice % end as u64) as usize
        };
        let mut known = vec![place, you, bag, hands[0], hands[1], Handle::NIL];
        for into in [place, bag, you, place] {
            known.push(all.add(coins(20), into).unwrap());
            known.push(all.add(pouch(), into).unwrap());
        }
        let coins_before = tally(&all)["coin"];
        let mut refused = 0;
        for step in 0..400 {
            if step % 8 == 0 {
                known.retain(|item| all.items().contains(*item) || item.is_nil());
            }
            let (item, other) = (known[roll(known.len())], known[roll(known.len())]);
            let count = [1, 1, 2, 3, 5, 20, 21][roll(7)];
            let before = picture(&all);
            let done = match roll(7) {
                0..3 => all.put(item, count, other).map(|stack| known.push(stack)),
                3 => all.split(item, count).map(|stack| known.push(stack)),
                4 => all.equip(item, other),
                5 => all.unequip(item).map(|_| ()),
                _ => all.drop_here(item, count).map(|stack| known.push(stack)),
            };
            if let Err(refusal) = done {
                refused += 1;
                assert_eq!(
                    picture(&all),
                    before,
                    "refused ({refusal}), and yet changed: seed {seed}, step {step}"
                );
            }
            all.check().unwrap_or_else(|broken| panic!("{broken}: seed {seed}, step {step}"));
            assert_eq!(tally(&all)["coin"], coins_before, "seed {seed}, step {step}");
        }
        assert!(
            (100..390).contains(&refused),
            "{refused} of 400 were refused: the test tries too little or too much"
        );
    }
}

fn tally(all: &Inventory) -> BTreeMap<&str, u32> {
    let mut tally = BTreeMap::new();
    for (_, item) in all.items() {
        *tally.entry(item.name.as_str()).or_default() += item.count;
    }
    tally
}

#[test]
fn the_help_is_about_commands_that_there_are() {
    for line in command::HELP.lines().filter_map(|line| line.strip_prefix("  ")) {
        let usage = line.split("  ").next().unwrap().replace(['[', ']'], "").replace('N', "2");
        for example in usage.split(", ") {
            assert!(
                command::Command::parse(example).is_ok(),
                "`{example}` is shown, and not understood"
            );
        }
    }
}

#[test]
fn the_story_is_told_as_it_is_written() {
    let output = demo(&["--story"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = include_str!("../examples/inventory/story.txt");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told == written, "the story is now\n\n{told}\nwhere story.txt says\n\n{written}");
}

#[test]
fn commands_can_be_typed_or_come_from_a_file() {
    let typed = demo(&[], "take sword\n\nput bag into bag\nquit\nlook\n");
    let said = String::from_utf8(typed.stdout).unwrap();
    assert_eq!(
        said,
        "> take sword\nthe sword is in the bag now\n> put bag into bag\n\
         no: the bag cannot be put into itself: put it into something else\n> quit\n"
    );

    let file = std::env::temp_dir().join(format!("lath-inventory-{}.txt", std::process::id()));
    std::fs::write(&file, "# only this\ntake sword\ndance\n").unwrap();
    let output = demo(&["--script", file.to_str().unwrap()], "");
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("# only this\n> take sword\nthe sword"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 of the lines"));
}

#[test]
fn bad_arguments_are_refused_in_words() {
    for (arguments, code, words) in [
        (&["--fish"][..], 2, "usage:"),
        (&["--script"], 1, "needs a file"),
        (&["--script", "no/such/file"], 1, "no/such/file cannot be read"),
    ] {
        let output = demo(arguments, "");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(words), "{arguments:?}");
    }
}

/// Runs the program, which `cargo test` has built beside the tests, with something typed into it.
fn demo(arguments: &[&str], typed: &str) -> Output {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let program: PathBuf = deps
        .with_file_name("examples")
        .join("inventory")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`cargo test -p lath-examples` builds the program");
    // Whoever was given bad arguments may be gone before anything is typed.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    child.wait_with_output().unwrap()
}
