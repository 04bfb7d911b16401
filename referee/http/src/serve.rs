//! Accepts connections, and answers the requests that come by them.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, duplex};
use tokio::net::TcpListener;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::connection::Connection;
use super::connection_table::{ConnectionTable, Limits, Phase, Place};

/// The interval of checks for connections that have waited for too long.
const PATROL_INTERVAL: Duration = Duration::from_millis(500);
/// The pause after a system error, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 64 << 10;

/// A bit less than the time from 1970 to the year 9999.
const END_OF_DATES: Duration = Duration::from_secs(253_370_000_000);
/// The answer if HTTP cannot express the time.
pub const WRONG_CLOCK: &str = "the clock of this machine is before 1970 or after 9998, times that \
    HTTP cannot express: set it, and ask again";

/// Answers for ever.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits) -> Infallible {
    let files = getrlimit(Resource::Nofile).current;
    let table = ConnectionTable::new(limits.within(files.unwrap_or(u64::MAX)));
    let mut patrol = interval(PATROL_INTERVAL);
    patrol.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    let _ = stream.set_nodelay(true);
                    let place = table.admit(from.ip(), Instant::now());
                    if !has_date(SystemTime::now()) {
                        tokio::spawn(refuse(stream, place));
                        continue;
                    }
                    let http = http1::Builder::new();
                    tokio::spawn(answer(stream, place, router.clone(), http));
                }
                Err(_) => {
                    table.make_room();
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            _ = patrol.tick(), if !table.is_empty() => table.patrol(Instant::now()),
        }
    }
}

/// True if HTTP can express this date. The server library dates every answer, and panics before
/// 1970 and after the year 9999.
pub fn has_date(moment: SystemTime) -> bool {
    moment
        .duration_since(UNIX_EPOCH)
        .is_ok_and(|since| since < END_OF_DATES)
}

/// Says that nothing is served by such a clock.
async fn refuse(mut stream: impl AsyncRead + AsyncWrite + Unpin, place: Place) {
    let text = format!("{WRONG_CLOCK}\n");
    let length = text.len();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    );
    let said = async {
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
        // A connection with something unread would be reset, and the answer lost.
        while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
    };
    tokio::select! {
        () = said => {}
        () = place.ended() => {}
    }
}

/// The answers to these bytes, after which the other side sends nothing more.
pub async fn answers_to(router: Router, sent: &[u8]) -> Vec<u8> {
    let (here, mut there) = duplex(1 << 20);
    let table = ConnectionTable::new(Limits::DEFAULT);
    let place = table.admit(Ipv4Addr::LOCALHOST.into(), Instant::now());
    let mut http = http1::Builder::new();
    http.half_close(true);
    let mut answers = Vec::new();
    let ask = async {
        // It may end the connection before it has read everything.
        let _ = there.write_all(sent).await;
        let _ = there.shutdown().await;
        let _ = there.read_to_end(&mut answers).await;
    };
    tokio::join!(answer(here, place, router, http), ask);
    answers
}

/// Answers the requests of one connection until it ends.
async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    place: Place,
    router: Router,
    mut http: http1::Builder,
) {
    let io = TokioIo::new(Connection::new(stream, place.clone()));
    let router = TowerToHyperService::new(router);
    let served = place.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let (router, place) = (router.clone(), served.clone());
        async move { Ok::<_, Infallible>(one(router, request, place).await) }
    });
    let connection = http.max_buf_size(MAX_HEAD).serve_connection(io, service);
    tokio::select! {
        // The other side has noticed any error.
        _ = connection => {}
        () = place.ended() => {}
    }
}

/// Answers one request.
async fn one(
    router: TowerToHyperService<Router>,
    request: Request<Incoming>,
    place: Place,
) -> Response {
    place.enter(if request.body().is_end_stream() {
        Phase::Answer
    } else {
        Phase::Body
    });
    let mut request = request.map(|inner| {
        Body::new(Tracked {
            inner,
            place: place.clone(),
            of: Message::Request,
        })
    });
    request.extensions_mut().insert(place.clone());
    let response = match router.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    if is_stream(response.headers()) {
        place.enter(Phase::Stream);
    }
    let of = Message::Answer;
    response.map(|inner| Body::new(Tracked { inner, place, of }))
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// A body on its way, whose end changes what its connection waits for.
struct Tracked<B> {
    inner: B,
    place: Place,
    /// Whose body it is.
    of: Message,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Message {
    /// It has to be there in time.
    Request,
    /// When it is gone, the next request may come.
    Answer,
}

impl<B: HttpBody + Unpin> HttpBody for Tracked<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(cx);
        let is_whole = matches!(frame, Poll::Ready(None)) || self.inner.is_end_stream();
        if is_whole && self.of == Message::Request {
            self.place.leave(Phase::Body, Phase::Answer);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl<B> Drop for Tracked<B> {
    fn drop(&mut self) {
        if self.of == Message::Answer {
            self.place.enter(Phase::Idle);
        }
    }
}
