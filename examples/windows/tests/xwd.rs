//! Pictures of a screen are read, and whatever else is in a file is an error.

use lath_windows::xwd::{Screen, variety};

/// A screen of two by two pixels, with a colour table of one and rows that are longer than they
/// need to be.
fn file() -> Vec<u8> {
    let mut header = [0_u32; 25];
    for (place, value) in
        [(0, 104), (1, 7), (4, 2), (5, 2), (11, 32), (12, 12), (14, 0x00ff_0000), (19, 1)]
    {
        header[place] = value;
    }
    let mut file: Vec<u8> = header.iter().flat_map(|number| number.to_be_bytes()).collect();
    file.extend(b"abc\0");
    file.extend([0xee; 12]);
    for row in [[0xff11_2233_u32, 0x0044_5566, 0], [0x0077_8899, 0x00aa_bbcc, 0]] {
        file.extend(row.iter().flat_map(|pixel| pixel.to_le_bytes()));
    }
    file
}

#[test]
fn pixels_come_row_by_row_in_either_order_of_bytes() {
    let expected =
        Screen { width: 2, height: 2, colors: vec![0x112233, 0x445566, 0x778899, 0xaabbcc] };
    assert_eq!(Screen::parse(&file()), Ok(expected));
    let mut swapped = file();
    swapped[31] = 1;
    for pixel in swapped[116..].chunks_mut(4) {
        pixel.reverse();
    }
    assert_eq!(Screen::parse(&swapped), Screen::parse(&file()));
}

#[test]
fn whatever_is_missing_or_changed_is_an_error_or_a_picture_but_never_a_panic() {
    let file = file();
    for end in 0..file.len() {
        assert!(Screen::parse(&file[..end]).is_err(), "{end} bytes were enough");
    }
    for place in 0..25 {
        for value in [0, 1, 3, 0xffff, u32::MAX] {
            let mut changed = file.clone();
            changed[place * 4..place * 4 + 4].copy_from_slice(&u32::to_be_bytes(value));
            if let Ok(screen) = Screen::parse(&changed) {
                assert_eq!(
                    screen.colors.len() as u64,
                    u64::from(screen.width) * u64::from(screen.height),
                    "{place}"
                );
            }
        }
    }
}

#[test]
fn one_colour_is_blank_and_many_are_not() {
    assert!(variety(&[7; 10_000]).is_blank());
    assert!(variety(&[]).is_blank());
    let two: Vec<u32> = (0..10_000).map(|n| n % 2).collect();
    assert!(variety(&two).is_blank());
    let many: Vec<u32> = (0..10_000).map(|n| n % 100).collect();
    assert!(!variety(&many).is_blank());
    assert_eq!((variety(&many).colors, variety(&many).drawn), (100, 9900));
}
