//! The files of the page, which are part of the program: there is no path into the file system.

const JS: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($path:literal $kind:expr, $file:literal;)*) => {
        const FILES: &[(&str, &str, &str)] = &[$(($path, $kind, include_str!(concat!("../../page/", $file)))),*];
    };
}

files! {
    "/" "text/html; charset=utf-8", "index.html";
    "/style.css" "text/css; charset=utf-8", "style.css";
    "/icon.svg" "image/svg+xml", "icon.svg";
    "/js/main.js" JS, "js/main.js";
    "/js/api.js" JS, "js/api.js";
    "/js/dom.js" JS, "js/dom.js";
    "/js/pools.js" JS, "js/pools.js";
    "/js/table.js" JS, "js/table.js";
    "/js/tree.js" JS, "js/tree.js";
    "/js/details.js" JS, "js/details.js";
    "/js/schedule.js" JS, "js/schedule.js";
    "/js/charts.js" JS, "js/charts.js";
    "/js/map.js" JS, "js/map.js";
}

/// The kind and the text of a file.
pub(super) fn find(path: &str) -> Option<(&'static str, &'static str)> {
    FILES.iter().find(|file| file.0 == path).map(|file| (file.1, file.2))
}
