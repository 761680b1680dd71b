//! Pictures of a screen, as the X server Xvfb keeps them with `-fbdir`: a header of big-endian
//! numbers, colours that we do not need, and rows of pixels.

/// What was on a screen.
#[derive(Debug, PartialEq)]
pub struct Screen {
    /// How many pixels it is wide.
    pub width: u32,
    /// How many pixels it is high.
    pub height: u32,
    /// Row by row, as `0xRRGGBB`.
    pub colors: Vec<u32>,
}

/// The numbers of the header that matter, by their place.
const HEADER_SIZE: usize = 0;
const VERSION: usize = 1;
const WIDTH: usize = 4;
const HEIGHT: usize = 5;
const BYTE_ORDER: usize = 7;
const BITS_PER_PIXEL: usize = 11;
const BYTES_PER_ROW: usize = 12;
const RED_MASK: usize = 14;
const COLORS: usize = 19;

impl Screen {
    /// Reads a picture. Screens with 32 bits for each pixel are understood, as Xvfb has them at
    /// depth 24.
    ///
    /// # Errors
    ///
    /// If it is no such picture, or not all of it is there.
    pub fn parse(file: &[u8]) -> Result<Self, String> {
        let header = |place: usize| -> Result<u32, String> {
            let bytes = file.get(place * 4..place * 4 + 4).and_then(|bytes| bytes.try_into().ok());
            Ok(u32::from_be_bytes(
                bytes.ok_or("this is shorter than the header of a picture of a screen")?,
            ))
        };
        let (version, bits, red) = (header(VERSION)?, header(BITS_PER_PIXEL)?, header(RED_MASK)?);
        if (version, bits, red) != (7, 32, 0x00ff_0000) {
            return Err(format!(
                "this is no picture of a screen that is understood: version {version}, {bits} bits for each pixel"
            ));
        }
        let (width, height) = (header(WIDTH)?, header(HEIGHT)?);
        let little = header(BYTE_ORDER)? == 0;
        let row = header(BYTES_PER_ROW)? as usize;
        // Each colour of the table takes twelve bytes.
        let start = u64::from(header(HEADER_SIZE)?) + u64::from(header(COLORS)?) * 12;
        let pixels = usize::try_from(start).ok().and_then(|start| file.get(start..));
        let needed = row as u64 * u64::from(height);
        let pixels =
            pixels.filter(|pixels| pixels.len() as u64 >= needed && width as usize <= row / 4);
        let pixels =
            pixels.ok_or_else(|| format!("of {width} × {height} pixels some are missing"))?;

        let mut colors = Vec::with_capacity(width as usize * height as usize);
        for row in pixels.chunks_exact(row.max(1)).take(height as usize) {
            colors.extend(row.chunks_exact(4).take(width as usize).map(|pixel| {
                let bytes = [pixel[0], pixel[1], pixel[2], pixel[3]];
                let color =
                    if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
                color & 0x00ff_ffff
            }));
        }
        Ok(Self { width, height, colors })
    }

    /// How many different colours there are, and how many pixels do not have the commonest one.
    pub fn variety(&self) -> Variety {
        variety(&self.colors)
    }
}

/// How much there is to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variety {
    /// Different colours.
    pub colors: usize,
    /// Pixels of another colour than the one that most of them have.
    pub drawn: usize,
}

impl Variety {
    /// Whether there is hardly anything to see: a screen that was never drawn on has one colour, a
    /// frame of a demo hundreds.
    pub fn is_blank(&self) -> bool {
        self.colors < 50 || self.drawn < 5000
    }
}

/// How much there is to see in a picture, row by row, as `0xRRGGBB`.
pub fn variety(pixels: &[u32]) -> Variety {
    let mut sorted = pixels.to_vec();
    sorted.sort_unstable();
    let counts = sorted.chunk_by(|a, b| a == b).map(<[u32]>::len);
    Variety { colors: counts.clone().count(), drawn: pixels.len() - counts.max().unwrap_or(0) }
}
