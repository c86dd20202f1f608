//! The web page: files that were built from `gateway/web` and are part of the binary.

use std::io::Write;
use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};

/// What the browser may load and call for the page: this service, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file of the page.
struct File {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    /// The content, compressed.
    gzip: Bytes,
    /// The entity tag, which changes with the content.
    tag: HeaderValue,
}

macro_rules! files {
    ($(($path:literal, $name:literal, $kind:literal)),+ $(,)?) => {
        [$(($path, $kind, include_bytes!(concat!("../../web/dist/", $name)).as_slice())),+]
    };
}

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    files![
        ("/", "index.html", "text/html; charset=utf-8"),
        ("/page.js", "page.js", "text/javascript; charset=utf-8"),
        ("/proof.js", "proof.js", "text/javascript; charset=utf-8"),
        ("/page.css", "page.css", "text/css; charset=utf-8"),
        ("/icon.svg", "icon.svg", "image/svg+xml"),
    ]
    .into_iter()
    .map(|(path, kind, bytes)| File { path, kind, bytes, gzip: gzip(bytes), tag: tag(bytes) })
    .collect()
});

/// Serves the page at `/`, and its files beside it.
pub fn page_router() -> Router {
    FILES.iter().fold(Router::new(), |router, file| {
        router.route(file.path, get(async |headers: HeaderMap| answer(file, &headers)))
    })
}

fn answer(file: &'static File, asked: &HeaderMap) -> Response<Body> {
    let names = |name, value: &str| {
        let given = asked.get(name).and_then(|given: &HeaderValue| given.to_str().ok()).unwrap_or_default();
        given.split(',').any(|one| one.trim().split(';').next() == Some(value))
    };
    let known = names(header::IF_NONE_MATCH, file.tag.to_str().unwrap_or_default());
    let packed = names(header::ACCEPT_ENCODING, "gzip");
    let body = match (known, packed) {
        (true, _) => Body::empty(),
        (false, true) => Body::from(file.gzip.clone()),
        (false, false) => Body::from(file.bytes),
    };
    let mut response = Response::new(body);
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::ETAG, file.tag.clone());
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if packed && !known {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes everything").into()
}

fn tag(bytes: &[u8]) -> HeaderValue {
    let hash = blake3::hash(bytes).to_hex();
    HeaderValue::from_str(&format!("\"{}\"", &hash[..32])).expect("hexadecimal digits can be in a header")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use http_body_util::BodyExt;

    use super::*;

    fn find(path: &str) -> &'static File {
        FILES.iter().find(|file| file.path == path).expect("the page has this file")
    }

    fn ask(path: &str, headers: &[(header::HeaderName, &str)]) -> Response<Body> {
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().expect("a value")));
        answer(find(path), &headers.collect())
    }

    async fn body(response: Response<Body>) -> Bytes {
        response.into_body().collect().await.expect("a body").to_bytes()
    }

    #[test]
    fn every_built_file_is_served() {
        let built = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/web/dist")).expect("the built page");
        let built: BTreeSet<String> =
            built.map(|entry| format!("/{}", entry.expect("an entry").file_name().to_string_lossy())).collect();
        let served = FILES.iter().map(|file| if file.path == "/" { "/index.html" } else { file.path });
        assert_eq!(built, served.map(str::to_owned).collect());
    }

    #[test]
    fn the_page_is_small() {
        let size: usize = FILES.iter().map(|file| file.gzip.len()).sum();
        assert!(size <= 250_000, "{size} bytes");
    }

    #[tokio::test]
    async fn who_takes_gzip_gets_the_same_file_in_fewer_bytes() {
        let plain = ask("/page.js", &[]);
        assert!(!plain.headers().contains_key(header::CONTENT_ENCODING));
        assert_eq!(body(plain).await, find("/page.js").bytes);
        let packed = ask("/page.js", &[(header::ACCEPT_ENCODING, "br, gzip;q=0.8")]);
        assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
        let packed = body(packed).await;
        let mut unpacked = Vec::new();
        std::io::copy(&mut flate2::read::GzDecoder::new(&packed[..]), &mut unpacked).expect("gzip");
        assert_eq!(unpacked, find("/page.js").bytes);
    }

    #[tokio::test]
    async fn what_is_known_is_not_sent_again() {
        let tag = ask("/", &[]).headers()[header::ETAG].to_str().expect("text").to_owned();
        let again = ask("/", &[(header::IF_NONE_MATCH, &tag)]);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert!(body(again).await.is_empty());
        assert_eq!(ask("/", &[(header::IF_NONE_MATCH, "\"another\"")]).status(), StatusCode::OK);
    }

    #[test]
    fn the_page_may_reach_nothing_but_the_service() {
        let policy = ask("/", &[]).headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("text").to_owned();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
        let html = std::str::from_utf8(find("/").bytes).expect("text");
        assert!(!html.contains("<style") && !html.contains("style=") && !html.contains("://"), "{html}");
    }
}
