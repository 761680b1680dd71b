use lath_core::Thing;

#[derive(Thing, Default)]
#[thing]
struct NoList;

#[derive(Thing, Default)]
#[thing = "rows"]
struct NotAList;

#[derive(Thing, Default)]
#[thing(rows = 1)]
struct UnexpectedValue;

#[derive(Thing, Default)]
#[thing(handle)]
struct NoHandleList;

#[derive(Thing, Default)]
#[thing(handle = 32)]
struct HandleValue;

#[derive(Thing, Default)]
#[thing(, "rows", 7, rows handle)]
struct Punctuation;

#[derive(Thing, Default)]
#[thing(handle(bits, index =, kind = ))]
struct NoValues;

#[derive(Thing, Default)]
#[thing(handle(bits = "32", index = 0x14, kind = 4u32))]
struct NotDecimal;

#[derive(Thing, Default)]
#[thing(handle(bits = WIDTH, index = -1, kind = 2 + 2))]
struct NotLiteral;

#[derive(Thing, Default)]
#[thing(handle(bits(32)))]
struct NotEquals;

fn main() {}
