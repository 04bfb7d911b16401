//! Accepts connections, and answers the requests that come by them.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
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
use super::places::{Limits, Phase, Place, Places};

/// How often it is looked who has waited for too long.
const PATROL_INTERVAL: Duration = Duration::from_millis(500);
/// How long to wait after an error of the system, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 64 << 10;

/// Answers for ever.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits) -> Infallible {
    let files = getrlimit(Resource::Nofile).current;
    let places = Places::new(limits.within(files.unwrap_or(u64::MAX)));
    let mut patrol = interval(PATROL_INTERVAL);
    patrol.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, from)) => {
                    let _ = stream.set_nodelay(true);
                    let place = places.admit(from.ip(), Instant::now());
                    let http = http1::Builder::new();
                    tokio::spawn(answer(stream, place, router.clone(), http));
                }
                Err(_) => {
                    places.make_room();
                    sleep(ACCEPT_PAUSE).await;
                }
            },
            _ = patrol.tick(), if !places.is_empty() => places.patrol(Instant::now()),
        }
    }
}

/// What is answered to these bytes, after which the other side says nothing more.
pub async fn answers_to(router: Router, sent: &[u8]) -> Vec<u8> {
    let (here, mut there) = duplex(1 << 20);
    let places = Places::new(Limits::DEFAULT);
    let place = places.admit(Ipv4Addr::LOCALHOST.into(), Instant::now());
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
        // Whatever went wrong, the other side has noticed it.
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
        Body::new(RequestBody {
            inner,
            place: place.clone(),
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
    response.map(|inner| Body::new(Answer { inner, place }))
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// The body of a request, which has to be there in time.
struct RequestBody {
    inner: Incoming,
    place: Place,
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || self.inner.is_end_stream() {
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

/// The body of an answer. When it is gone, the next request may come.
struct Answer {
    inner: Body,
    place: Place,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.place.enter(Phase::Idle);
    }
}
